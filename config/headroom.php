<?php

declare(strict_types=1);

return [

    /*
     | A page that charts events over time from the index: docs/charts.md. Off until it is wanted. Outside of the environment
     | `local` only those see it whom the gate `viewHeadroom` lets in.
     |
     | bucket: one of config/spool.php with the sink `elasticsearch`; its address, index and keys are used.
     | actions: how the types of what end users do begin; all others are business events.
     */

    'charts' => [
        'enabled' => env('HEADROOM_CHARTS', false),
        'path' => 'headroom/events',
        'middleware' => ['web'],
        'bucket' => 'events',
        'actions' => ['page', 'screen', 'track', 'identify', 'user.', 'ui.'],
    ],

];
