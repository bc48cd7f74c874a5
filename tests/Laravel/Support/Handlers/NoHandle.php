<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Handlers;

final readonly class NoHandle {}
