<?php

declare(strict_types=1);

/*
 * An Elasticsearch, a ClickHouse and an HTTP server in one, which judges by what is in a request: an event is bad when its
 * `id` begins with "bad". What it does with it stands in the file `rule`: {"status": 400, "for": "bad" or "all"} for the
 * whole request, {"item": 500} for a document, {"code": 27} for an exception of ClickHouse. What it takes it notes in `taken`.
 */

$directory = $argv[1];
$server = stream_socket_server('tcp://127.0.0.1:0') ?: exit(1);
file_put_contents("{$directory}/port.new", substr(strrchr((string) stream_socket_get_name($server, false), ':') ?: '', 1));
rename("{$directory}/port.new", "{$directory}/port");
$seen = [];

while (true) {
    $client = @stream_socket_accept($server, 3600);

    if ($client === false) {
        continue;
    }

    [$head, $length] = ['', 0];

    while (($line = fgets($client)) !== false && $line !== "\r\n") {
        $head .= $line;
        $length = sscanf(strtolower($line), 'content-length: %d')[0] ?? $length;
    }

    $body = $length > 0 ? (string) stream_get_contents($client, $length) : '';
    $rule = json_decode((string) file_get_contents("{$directory}/rule"), true);
    $isBulk = str_contains($head, '/_bulk');
    $lines = $isBulk || str_contains($head, 'query=INSERT') ? array_filter(explode("\n", $body)) : array_map(json_encode(...), json_decode($body, true) ?? []);
    $events = $isBulk ? array_chunk(array_values($lines), 2) : array_map(static fn (string $line): array => [$line, $line], array_values($lines));
    $bad = array_filter($events, static fn (array $event): bool => str_contains($event[1], '"id":"bad'));
    [$status, $answer, $items] = [200, '', []];
    $isHit = ($rule['for'] ?? 'bad') === 'all' || $bad !== [];

    if ($isHit && isset($rule['code'])) {
        [$status, $answer] = [500, "Code: {$rule['code']}. DB::Exception: no"];
    } elseif ($isHit && isset($rule['status'])) {
        $status = $rule['status'];
    } else {
        foreach ($events as $number => [$action, $event]) {
            $isRefused = isset($bad[$number]) && isset($rule['item']);
            $of = json_decode($action, true);
            $id = $of['create']['_id'] ?? $of['_id'] ?? $of['event_id'];

            if (! $isRefused && ! isset($seen[$id])) {
                $seen[$id] = true;
                file_put_contents("{$directory}/taken", json_decode($event, true)['id']."\n", FILE_APPEND);
            }

            $items[] = ['create' => ['_id' => $id, 'status' => $isRefused ? $rule['item'] : 201] + ($isRefused ? ['error' => ['type' => 'strange_exception', 'reason' => 'no']] : [])];
        }

        $answer = $isBulk ? json_encode(['took' => 1, 'errors' => $bad !== [], 'items' => $items]) : '';
    }

    fwrite($client, "HTTP/1.1 {$status} X\r\nContent-Length: ".strlen($answer)."\r\nConnection: close\r\n\r\n{$answer}");
    fclose($client);
}
