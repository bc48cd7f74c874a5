<?php

declare(strict_types=1);

return [
    'driver' => env('SESSION_DRIVER', 'array'),
    'lifetime' => 120,
    'files' => storage_path('framework/sessions'),
    'connection' => env('SESSION_CONNECTION'),
    'store' => env('SESSION_STORE'),
    // A sweep of a table or a directory now and then, as Laravel ships it.
    'lottery' => [2, 100],
    'cookie' => 'workbench_session',
];
