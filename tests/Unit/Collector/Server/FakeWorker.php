<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Process\Supervision\Channel;
use Headroom\Process\Supervision\Message;
use Headroom\Process\Supervision\ProcessControl;
use Headroom\Process\Supervision\ProcessExit;
use Headroom\Process\Supervision\ProcessHandle;
use Headroom\Tests\Unit\Process\Supervision\TestChannel;

/**
 * A process that a test speaks for, and ends.
 */
final class FakeWorker implements ProcessControl
{
    /** @var list<string> messages at its exit, which are received when that is seen */
    public array $lastMessages = [];

    /** @var list<int> */
    public array $signals = [];

    /** Exit code. */
    public ?int $exit = null;

    /** As in a system call that the kernel does not interrupt. */
    public bool $isStuck = false;

    public readonly ProcessHandle $handle;

    private readonly Channel $channel;

    /** @var list<string> */
    private array $received = [];

    public function __construct(public readonly string $slot, public readonly int $second)
    {
        [$supervisor, $this->channel] = TestChannel::pair();
        $this->handle = new ProcessHandle(1, $supervisor, $this);
    }

    public function send(string $type, mixed $content = null): void
    {
        $this->channel->send($type, $content);
    }

    /** @return list<string> types of the messages so far */
    public function received(): array
    {
        $types = array_map(static fn (Message $message): string => $message->type, $this->channel->receive());
        array_push($this->received, ...$types);

        return $this->received;
    }

    public function reap(int $pid): ?ProcessExit
    {
        if (in_array(9, $this->signals, true) && ! $this->isStuck) {
            return ProcessExit::bySignal(9);
        }

        if ($this->exit === null) {
            return null;
        }

        array_map($this->send(...), $this->lastMessages);

        return ProcessExit::withCode($this->exit);
    }

    public function signal(int $pid, int $signal): void
    {
        $this->signals[] = $signal;
    }
}
