<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Headroom\Spool\Buffer;
use Illuminate\Container\Container;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Foundation\Application;
use WeakMap;
use WeakReference;

/**
 * Buffers that keep something open, and whose end gives it back: that of the application that serves the request, and
 * under Octane that of the request, task or tick, since the process lives on. Everything is held weakly: a buffer, and
 * what it keeps, ends with the application that made it.
 *
 * @internal
 */
final class OpenBuffers
{
    /** Octane ends a task or a tick, and a request that failed in it, without terminating the application. */
    private const ENDS = [
        'Laravel\Octane\Events\RequestTerminated',
        'Laravel\Octane\Events\TaskTerminated',
        'Laravel\Octane\Events\TickTerminated',
        'Laravel\Octane\Events\WorkerErrorOccurred',
        'Laravel\Octane\Events\WorkerStopping',
    ];

    private const BEGINS = ['Laravel\Octane\Events\RequestReceived', 'Laravel\Octane\Events\TaskReceived', 'Laravel\Octane\Events\TickReceived'];

    /** @var WeakMap<Buffer, true> */
    private WeakMap $buffers;

    /** @var WeakMap<Buffer, true> made by an application that lives on, and to keep again in its next request */
    private WeakMap $resting;

    /** @var WeakMap<Application, true> that will tell of their end */
    private WeakMap $followed;

    private bool $followsOctane = false;

    public function __construct(private readonly Dispatcher $events)
    {
        $this->buffers = new WeakMap;
        $this->resting = new WeakMap;
        $this->followed = new WeakMap;
    }

    /** @param ?Buffer $buffer null is one that has ended in the meantime */
    public function add(?Buffer $buffer): void
    {
        if ($buffer === null) {
            return;
        }

        $this->buffers[$buffer] = true;
        $serving = Container::getInstance();

        // Once for each: an application that serves ten thousand requests keeps its callbacks through all of them.
        if ($serving instanceof Application && ! isset($this->followed[$serving])) {
            $this->followed[$serving] = true;
            $serving->terminating($this->release(...));
        }

        if (! $this->followsOctane) {
            $this->followsOctane = true;
            $this->events->listen(self::ENDS, $this->release(...));
            $this->events->listen(self::BEGINS, $this->keepAgain(...));
        }
    }

    private function release(): void
    {
        foreach ($this->buffers as $buffer => $_) {
            $buffer->release();
            $this->resting[$buffer] = true;
        }

        $this->buffers = new WeakMap;
    }

    private function keepAgain(): void
    {
        foreach ($this->resting as $buffer => $_) {
            $weak = WeakReference::create($buffer);
            $buffer->keep(fn () => $this->add($weak->get()));
        }
    }
}
