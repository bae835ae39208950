"""The only writers of jobs: `asking` for whoever wants one, `working` for whoever does one,
`tidying` for the rest.
"""
