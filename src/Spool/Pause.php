<?php

declare(strict_types=1);

namespace Headroom\Spool;

use DateTimeImmutable;
use DateTimeInterface;

/**
 * The pause of a bucket: it keeps accepting events and delivers none until it is resumed.
 */
final readonly class Pause
{
    /** @param string $by the system user that paused it, such as "deploy (uid 1000)" */
    public function __construct(public DateTimeImmutable $since, public string $by) {}

    /**
     * Reads what note() wrote. An incomplete note is still a pause: a full disk leaves it empty, and a hand-made one
     * may hold anything.
     *
     * @internal
     */
    public static function fromNote(string $note, int $since, string $by): self
    {
        $values = json_decode($note, true);
        $values = is_array($values) ? $values : [];
        $since = is_int($values['since'] ?? null) ? $values['since'] : $since;

        return new self(new DateTimeImmutable("@{$since}"), is_string($values['by'] ?? null) ? $values['by'] : $by);
    }

    /** @internal */
    public function note(): string
    {
        return json_encode(
            ['since' => $this->since->getTimestamp(), 'by' => $this->by],
            JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE,
        );
    }

    public function words(): string
    {
        return "paused since {$this->since->format('Y-m-d H:i:s')} UTC by {$this->by}";
    }

    /** @return array{since: string, by: string} */
    public function toArray(): array
    {
        return ['since' => $this->since->format(DateTimeInterface::ATOM), 'by' => $this->by];
    }
}
