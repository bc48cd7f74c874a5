<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Support\InvalidConfig;

/**
 * Where documents go: a data stream or an index, or a pattern such as events-{yyyy.MM} that the time of each event fills.
 *
 * @internal
 */
final readonly class IndexName
{
    private const DATES = ['yyyy' => 'Y', 'yyyy.MM' => 'Y.m', 'yyyy.MM.dd' => 'Y.m.d', 'yyyy-MM' => 'Y-m', 'yyyy-MM-dd' => 'Y-m-d'];

    /** Whoever sends events could otherwise open an index for each month since the year 1. */
    private const MOST_BEFORE_SECONDS = 366 * 86_400;

    private const MOST_AFTER_SECONDS = 86_400;

    private function __construct(public string $pattern, private string $before, private ?string $date, private string $after) {}

    /** @throws InvalidConfig */
    public static function parse(string $key, string $text): self
    {
        $isName = preg_match('/\A([^{}]*)(?:\{([^{}]+)\})?([^{}]*)\z/', $text, $m) === 1
            && preg_match('/\A(?![-_+])[^A-Z\\\\\/*?"<>| ,#:\x00-\x1F\x7F]{1,230}\z/', $m[1].$m[3]) === 1
            && ! in_array($m[1].$m[3], ['.', '..'], true)
            && (! str_contains($text, '{') || isset(self::DATES[$m[2]]));

        return $isName ? new self($text, $m[1], self::DATES[$m[2]] ?? null, $m[3]) : throw InvalidConfig::notAllowed(
            $key,
            $text,
            'a name of at most 230 bytes in small letters without any of \\ / * ? " < > | , # : and blanks, not beginning with - _ or +; it may have one of {'.implode('}, {', array_keys(self::DATES)).'} in it',
        );
    }

    /** Null when it depends on the event. */
    public function fixed(): ?string
    {
        return $this->date === null ? $this->before : null;
    }

    /** Matches every name that it gives. */
    public function wildcard(): string
    {
        return $this->date === null ? $this->before : "{$this->before}*{$this->after}";
    }

    /**
     * @param int $time seconds since the Unix epoch, of the event
     * @param int $acceptedAt the same; what is far from it is not believed
     */
    public function at(int $time, int $acceptedAt): string
    {
        if ($this->date === null) {
            return $this->before;
        }

        $isNear = $time >= $acceptedAt - self::MOST_BEFORE_SECONDS && $time <= $acceptedAt + self::MOST_AFTER_SECONDS;

        return $this->before.gmdate($this->date, $isNear ? $time : $acceptedAt).$this->after;
    }
}
