"""The engine: attention and its statistics in NumPy (and scipy.special where a function needs it).

Shapes once, for every module: n_q queries and n_k keys of d_k components, values of d_v components, and any leading
axes (batch, heads) that broadcast. Rows are queries, columns are keys. float32 stays float32, float16 is computed in
float32 and everything else in float64. A mask is boolean and True means "may attend".
"""
