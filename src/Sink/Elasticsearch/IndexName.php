<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Support\InvalidConfig;

/**
 * The destination of documents: a data stream, an index, or a pattern such as events-{yyyy.MM} that takes the time of
 * each event.
 *
 * @internal
 */
final readonly class IndexName
{
    private const DATES = [
        'yyyy' => 'Y',
        'yyyy.MM' => 'Y.m',
        'yyyy.MM.dd' => 'Y.m.d',
        'yyyy-MM' => 'Y-m',
        'yyyy-MM-dd' => 'Y-m-d',
    ];

    /** Without this limit a client could create an index for each month since the year 1. */
    private const MAX_BEFORE_SECONDS = 366 * 86_400;

    private const MAX_AFTER_SECONDS = 86_400;

    private function __construct(
        public string $pattern,
        private string $before,
        private ?string $date,
        private string $after,
    ) {}

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
            'a name of at most 230 bytes in lower case without any of \\ / * ? " < > | , # : and blanks, not beginning'
                .' with - _ or +; it may have one of {'
                .implode('}, {', array_keys(self::DATES)).'} in it',
        );
    }

    /** @return ?string null if the name depends on the event */
    public function fixed(): ?string
    {
        return $this->date === null ? $this->before : null;
    }

    /** A pattern that matches every name of this destination. */
    public function wildcard(): string
    {
        return $this->date === null ? $this->before : "{$this->before}*{$this->after}";
    }

    /**
     * @param int $time time of the event, in seconds since the Unix epoch
     * @param int $acceptedAt seconds since the Unix epoch; used instead of a $time that is far from it
     */
    public function at(int $time, int $acceptedAt): string
    {
        if ($this->date === null) {
            return $this->before;
        }

        $isNear = $time >= $acceptedAt - self::MAX_BEFORE_SECONDS && $time <= $acceptedAt + self::MAX_AFTER_SECONDS;

        return $this->before.gmdate($this->date, $isNear ? $time : $acceptedAt).$this->after;
    }
}
