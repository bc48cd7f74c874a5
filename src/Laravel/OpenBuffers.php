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
 * Buffers with open files. They are released when the application that serves the request terminates. Under Octane the
 * process lives on, so they are released when the request, task or tick ends. References are weak: a buffer and its
 * files end with the application that made it.
 *
 * @internal
 */
final class OpenBuffers
{
    /** Octane ends a task, a tick, and a request that failed in one, without terminating the application. */
    private const ENDS = [
        'Laravel\Octane\Events\RequestTerminated',
        'Laravel\Octane\Events\TaskTerminated',
        'Laravel\Octane\Events\TickTerminated',
        'Laravel\Octane\Events\WorkerErrorOccurred',
        'Laravel\Octane\Events\WorkerStopping',
    ];

    private const BEGINS = [
        'Laravel\Octane\Events\RequestReceived',
        'Laravel\Octane\Events\TaskReceived',
        'Laravel\Octane\Events\TickReceived',
    ];

    /** @var WeakMap<Buffer, true> */
    private WeakMap $buffers;

    /** @var WeakMap<Buffer, true> buffers of an application that lives on, kept again in its next request */
    private WeakMap $released;

    /** @var WeakMap<Application, true> applications with a terminating callback */
    private WeakMap $observed;

    private bool $listensToOctane = false;

    public function __construct(private readonly Dispatcher $events)
    {
        $this->buffers = new WeakMap;
        $this->released = new WeakMap;
        $this->observed = new WeakMap;
    }

    /** @param ?Buffer $buffer null if it was destroyed in the meantime */
    public function add(?Buffer $buffer): void
    {
        if ($buffer === null) {
            return;
        }

        $this->buffers[$buffer] = true;
        $serving = Container::getInstance();

        // Once per application: it keeps its callbacks through all of its requests.
        if ($serving instanceof Application && ! isset($this->observed[$serving])) {
            $this->observed[$serving] = true;
            $serving->terminating($this->release(...));
        }

        if (! $this->listensToOctane) {
            $this->listensToOctane = true;
            $this->events->listen(self::ENDS, $this->release(...));
            $this->events->listen(self::BEGINS, $this->reopen(...));
        }
    }

    private function release(): void
    {
        foreach ($this->buffers as $buffer => $_) {
            $buffer->closeSegments();
            $this->released[$buffer] = true;
        }

        $this->buffers = new WeakMap;
    }

    private function reopen(): void
    {
        foreach ($this->released as $buffer => $_) {
            $weak = WeakReference::create($buffer);
            $buffer->keepSegmentsOpen(fn () => $this->add($weak->get()));
        }
    }
}
