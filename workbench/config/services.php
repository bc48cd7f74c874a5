<?php

declare(strict_types=1);

return [
    'github' => ['webhook_secret' => env('GITHUB_WEBHOOK_SECRET')],
];
