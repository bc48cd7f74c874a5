<?php

declare(strict_types=1);

use Headroom\Laravel\Facades\Buffer;
use Headroom\Tests\Architecture\Counts\Recorder;
use Illuminate\Contracts\Http\Kernel;
use Illuminate\Foundation\Application;

// Buffers two events as one request does, in the application in the current directory, and records the second one.
$_ENV['APP_RUNNING_IN_CONSOLE'] = 'false';

require getcwd().'/bootstrap/autoload.php';

/** @var Application $app */
$app = require getcwd().'/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();

Buffer::bucket('x')->add(['event' => 'first']);
Recorder::begin();
Buffer::bucket('x')->add(['event' => 'second']);
