<?php

declare(strict_types=1);

// Scenario 3 of stack A: checks the event, has it stored, and answers then.
$event = json_decode((string) file_get_contents('php://input'), true);

if (! is_array($event) || ! is_string($event['type'] ?? null)) {
    http_response_code(400);
    exit;
}

$curl = curl_init(getenv('INDEX').'/_doc');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 90,
    CURLOPT_POSTFIELDS => json_encode(['@timestamp' => $event['time'] ?? gmdate('c')] + $event),
    CURLOPT_HTTPHEADER => ['Content-Type: application/json'],
]);
curl_exec($curl);
$status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
http_response_code($status === 201 ? 200 : 502);
header('Content-Type: text/plain');
echo $status === 201 ? 'OK' : 'not stored';
