<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Host\Fpm\FastCgiResponse;
use Headroom\Preload\Page;

/**
 * The answer of a page without preloading: its status, its target, and the words that are the same each time.
 *
 * @internal
 */
final readonly class PageFingerprint
{
    /** A fault of PHP shows from the second request on: https://github.com/php/php-src/issues/10131. */
    private const TIMES = 3;

    /** @param ?array<int, string> $words the constant ones by position; null if even their number varies */
    private function __construct(public int $status, private string $headers, private ?array $words) {}

    /** @param list<VariantPool> $pools equal ones: a difference between them means nothing */
    public static function of(Page $page, array $pools): self
    {
        $answers = array_merge(...array_map(
            static fn (VariantPool $pool): array => self::answers($page, $pool),
            $pools,
        ));
        $words = self::words($answers[0]->body);

        foreach ($answers as $answer) {
            $others = self::words($answer->body);
            $words = $words === null || count($others) !== count(self::words($answers[0]->body))
                ? null
                : array_intersect_assoc($words, $others);
        }

        return new self($answers[0]->status, self::headers($answers[0]), $words);
    }

    public function differ(Page $page, VariantPool $pool): bool
    {
        return array_filter(self::answers($page, $pool), $this->isOther(...)) !== [];
    }

    private function isOther(FastCgiResponse $answer): bool
    {
        return $answer->status !== $this->status
            || self::headers($answer) !== $this->headers
            || ($this->words !== null && array_diff_assoc($this->words, self::words($answer->body)) !== []);
    }

    /** @return non-empty-list<FastCgiResponse> */
    private static function answers(Page $page, VariantPool $pool): array
    {
        return array_map(static fn (): FastCgiResponse => $pool->ask($page), range(1, self::TIMES));
    }

    private static function headers(FastCgiResponse $answer): string
    {
        return ($answer->headers['content-type'] ?? '').' '.($answer->headers['location'] ?? '');
    }

    /** @return list<string> */
    private static function words(string $body): array
    {
        $words = preg_split('/(?<=\W)(?=\w)|(?<=\w)(?=\W)/', $body);

        return $words === false ? [$body] : $words;
    }
}
