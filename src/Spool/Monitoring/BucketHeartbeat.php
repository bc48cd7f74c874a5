<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

/**
 * The numbers of one bucket in a heartbeat.
 *
 * @internal
 */
final readonly class BucketHeartbeat
{
    /**
     * @param ?int $oldestSeconds age of the oldest pending event at the last heartbeat
     * @param ?string $trouble why its flush fails, in words
     */
    public function __construct(
        public string $bucket,
        public int $pending,
        public ?int $oldestSeconds,
        public int $dead,
        public int $dropped,
        public ?string $trouble,
    ) {}

    /** @return array{pending: int, oldest_seconds: ?int, dead: int, dropped: int, trouble: ?string} */
    public function toArray(): array
    {
        return [
            'pending' => $this->pending,
            'oldest_seconds' => $this->oldestSeconds,
            'dead' => $this->dead,
            'dropped' => $this->dropped,
            'trouble' => $this->trouble,
        ];
    }

    /** @param mixed $values the result of toArray(), as a database returns it */
    public static function fromArray(string $bucket, mixed $values): self
    {
        $values = is_array($values) ? $values : [];
        $number = static fn (string $key): int => is_int($values[$key] ?? null) ? $values[$key] : 0;
        $trouble = $values['trouble'] ?? null;

        return new self(
            $bucket,
            $number('pending'),
            isset($values['oldest_seconds']) ? $number('oldest_seconds') : null,
            $number('dead'),
            $number('dropped'),
            is_string($trouble) ? $trouble : null,
        );
    }
}
