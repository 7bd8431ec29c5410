export default function ({ data: [data], parentElement }) {
  const button = parentElement.querySelector("button")
  button.textContent = data.copy
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(window.location.href)
    } catch {
      // Plain http off this machine has no clipboard interface.
      const field = document.createElement("textarea")
      field.value = window.location.href
      document.body.append(field)
      field.select()
      document.execCommand("copy")
      field.remove()
    }
    button.textContent = data.copied
    setTimeout(() => { button.textContent = data.copy }, 1600)
  }
}
