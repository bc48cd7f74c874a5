<?php

declare(strict_types=1);

// Scenario 2 of stack A: asks a third party and passes its answer on.
$curl = curl_init((string) getenv('UPSTREAM'));
curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 90]);
$answer = curl_exec($curl);
http_response_code(is_string($answer) ? curl_getinfo($curl, CURLINFO_RESPONSE_CODE) : 502);
header('Content-Type: application/json');
echo $answer;
