<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;

/**
 * A preload list that exists only during a measurement.
 *
 * @internal
 */
final readonly class BenchedList implements Stoppable
{
    public function __construct(public string $path)
    {
        ShutdownHandler::stop($this);
    }

    public function stop(): void
    {
        if (is_file($this->path)) {
            unlink($this->path);
        }
    }
}
