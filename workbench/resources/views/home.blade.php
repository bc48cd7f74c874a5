<!DOCTYPE html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Headroom workbench</title>
    <style>
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2.5rem auto; padding: 0 1rem; color: #1c2430; background: #fff; }
        table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
        th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #d8dee6; vertical-align: top; }
        td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
        code, pre { font: 14px/1.5 ui-monospace, monospace; background: #f3f5f8; }
        pre { padding: .8rem; overflow-x: auto; }
        @media (prefers-color-scheme: dark) {
            body { color: #e4e8ee; background: #14181e; }
            th, td { border-color: #333c48; }
            code, pre { background: #202730; }
        }
    </style>
</head>
<body>
<h1>Headroom workbench</h1>
<p>An ordinary Laravel {{ app()->version() }} application that takes page views of an access log.
    Its endpoints validate the same event and give the same answer; they differ in the write alone.</p>

<table>
    <thead><tr><th scope="col">Endpoint</th><th scope="col">What it does after validation</th></tr></thead>
    <tbody>
    <tr><td><code>POST /events/none</code></td><td>writes nothing</td></tr>
    <tr><td><code>POST /events/sync</code></td><td>inserts the row, then answers</td></tr>
    <tr><td><code>POST /events/buffered</code></td><td>appends to the write buffer, then answers; the row comes with the next flush</td></tr>
    <tr><td><code>POST /events/buffered-binary</code></td><td>the same for a form body, kept byte for byte</td></tr>
    <tr><td><code>GET /events/count</code></td><td>the row counts below, as JSON</td></tr>
    </tbody>
</table>

<h2>Rows</h2>
<p>Database connection: <code>{{ $connection }}</code></p>
<table>
    <thead><tr><th scope="col">Table</th><th scope="col">Written by</th><th scope="col" class="number">Rows</th></tr></thead>
    <tbody>
    @foreach ($tables as $table)
        <tr>
            <td><code>{{ $table['name'] }}</code></td>
            <td>{{ $table['writtenBy'] }}</td>
            <td class="number">
                @if ($table['rows'] === null)
                    not there yet: <code>php workbench/artisan migrate --force</code>
                @else
                    {{ number_format($table['rows']) }}
                @endif
            </td>
        </tr>
    @endforeach
    </tbody>
</table>

<h2>Try it</h2>
<pre>curl -i {{ url('/events/buffered') }} -H 'Content-Type: application/json' -d '{
  "id": "1", "ip": "192.0.2.7", "time": "2015-05-17 10:05:03", "method": "GET",
  "path": "/hello", "status": 200, "bytes": 512, "referer": null, "agent": "curl"
}'
php workbench/artisan spool:flush page-views</pre>
</body>
</html>
