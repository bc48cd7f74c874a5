<?php

declare(strict_types=1);

/** Front controller of the measurements inside a PHP-FPM worker, where requests run: opcache on, pcntl absent. */
match (parse_url((string) $_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    '/append' => require __DIR__.'/append.php',
    '/facade' => require __DIR__.'/facade.php',
    default => http_response_code(404),
};
