<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Illuminate\Http\Request;

/**
 * What a request asks of the dead letters of a bucket.
 *
 * @internal
 */
final readonly class DeadLetterQuery
{
    private const LIMIT = 50;

    private const MAX_LIMIT = 200;

    /** As many as the page's field takes. */
    private const MAX_SEARCH_CHARACTERS = 200;

    /** @param string $after position of the letter before the first one; "" starts with the newest */
    private function __construct(
        public string $search,
        public string $kind,
        public string $after,
        public int $limit,
    ) {}

    public static function of(Request $request): self
    {
        $text = static function (string $name) use ($request): string {
            $value = $request->query($name);

            return is_string($value) ? $value : '';
        };
        $after = $text('after');

        return new self(
            mb_strtolower(mb_substr(mb_scrub(trim($text('search')), 'UTF-8'), 0, self::MAX_SEARCH_CHARACTERS)),
            $text('kind'),
            preg_match('/\A\d{20}-\d{20}-\d{5}\z/', $after) === 1 ? $after : '',
            max(1, min(self::MAX_LIMIT, (int) ($text('limit') === '' ? self::LIMIT : $text('limit')))),
        );
    }
}
