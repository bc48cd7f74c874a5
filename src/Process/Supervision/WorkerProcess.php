<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Headroom\Process\Signal;

/**
 * A worker in its slot, as its supervisor sees it. Times are nanoseconds of the monotonic clock.
 *
 * @internal
 */
final class WorkerProcess
{
    /** Message from the worker: the worker accepts work from now on. */
    public const READY = 'ready';

    /** Message from the worker, each second, with its figures. */
    public const HEARTBEAT = 'heartbeat';

    /** Message from the worker: the reason to replace it. */
    public const RECYCLE = 'recycle';

    /** Whether the worker has sent READY. */
    public bool $isReady = false;

    public int $lastMessageAt;

    /** @var array<string, int|bool> of the last heartbeat */
    public array $figures = [];

    /** End of the worker's grace period; null while the supervisor has not asked the worker to end. */
    public ?int $killAt = null;

    public bool $isKilled = false;

    public ?string $recycleReason = null;

    /** @var list<Message> */
    private array $received = [];

    public function __construct(public readonly ProcessHandle $handle, public readonly int $startedAt)
    {
        $this->lastMessageAt = $startedAt;
    }

    public function receive(int $now): void
    {
        foreach ($this->handle->channel?->receive() ?? [] as $message) {
            $this->lastMessageAt = $now;

            match (true) {
                $message->type === self::READY => $this->isReady = true,
                $message->type === self::HEARTBEAT => $this->figures = self::figures($message->content),
                $message->type === self::RECYCLE
                    && is_string($message->content) => $this->recycleReason = $message->content,
                default => $this->received[] = $message,
            };
        }
    }

    /** @return list<Message> received since the last call, without those that the supervisor understands */
    public function messages(): array
    {
        [$received, $this->received] = [$this->received, []];

        return $received;
    }

    public function send(string $type, mixed $content = null): void
    {
        $this->handle->channel?->send($type, $content);
    }

    public function terminate(int $signal, int $killAt): void
    {
        $this->handle->signal($signal);
        $this->endBefore($killAt);
    }

    /** @param int $killAt ignored if the grace period ends earlier already */
    public function endBefore(int $killAt): void
    {
        $this->killAt = min($killAt, $this->killAt ?? $killAt);
    }

    public function kill(): void
    {
        $this->isKilled = true;
        $this->handle->signal(Signal::Kill->value);
    }

    public function exit(): ?ProcessExit
    {
        return $this->handle->exit();
    }

    /** @return array<string, int|bool> */
    private static function figures(mixed $content): array
    {
        return array_filter(
            is_array($content) ? array_combine(array_map(strval(...), array_keys($content)), $content) : [],
            static fn (mixed $figure): bool => is_int($figure) || is_bool($figure),
        );
    }
}
