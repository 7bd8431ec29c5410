"""What is attention? The front page."""

from ui import frame

words = frame.begin("overview")
frame.end(words)
