<?php

declare(strict_types=1);

return [
    'driver' => env('SESSION_DRIVER', 'array'),
    'lifetime' => 120,
    'files' => storage_path('framework/sessions'),
    'cookie' => 'workbench_session',
];
