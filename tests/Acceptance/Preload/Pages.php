<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Preload\Page;
use Headroom\Tests\Support\Fetched;
use PHPUnit\Framework\Assert;

/**
 * The workbench's pages that preloading is tested on (workbench/README.md), and what they answer.
 */
final readonly class Pages
{
    /** The status of each page, and a part of its body. */
    private const EXPECTED = [
        'GET /pages/json' => [200, '"slug":"product-21","category":"Bags"'],
        'GET /pages/blade' => [200, '<p class="notice notice-hint wide">Visit 1 of this session.</p>'],
        'GET /pages/posts' => [200, '23. Dezember 2025, vor 1 Woche und 2 Tagen'],
        'GET /pages/posts?page=2' => [200, 'Ein Kommentar Ada'],
        'GET /pages/validate' => [422, '"errors":{"email":["The email field is required."],"topic":'],
        'GET /pages/validate?email=ada@example.org&topic=orders' => [
            200, '{"email":"ada@example.org","topic":"orders"}',
        ],
        'GET /pages/mail' => [200, '"to":"ada@workbench.example"'],
        'POST /pages/mail' => [200, '"to":"ada@workbench.example"'],
        'GET /pages/notify' => [200, '{"to":"Ada","isTold":true}'],
        'POST /pages/notify' => [200, '{"to":"Ada","isTold":true}'],
        'GET /pages/queue' => [200, '{"words":14}'],
        'POST /pages/queue' => [200, '{"words":14}'],
        'GET /pages/anonymous' => [200, '{"title":"Square","area":9}'],
        'GET /pages/alias' => [200, '{"price":"19.95 EUR"}'],
        'GET /pages/optional' => [200, '{"sheet":null,"formats":["csv"]}'],
        'GET /pages/impure-parent' => [200, '{"rows":[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]}'],
        'GET /pages/trap' => [200, '{"total":4711}'],
        'GET /pages/audited' => [200, '{"total":4711,"audit":["totals were read"]}'],
    ];

    /** @return list<Page> */
    public static function all(): array
    {
        return array_map(
            static fn (string $name): Page => new Page(...explode(' ', $name, 2)),
            array_keys(self::EXPECTED),
        );
    }

    /** @return array{int, string} status and a part of the body */
    public static function expected(Page $page): array
    {
        return self::EXPECTED[$page->name()] ?? Assert::fail("Nobody has said what {$page->name()} answers.");
    }

    /**
     * Each page so often, one after the other, of one worker.
     *
     * @return array<string, list<array{int, string}>> status and body of each answer by the page's name;
     *     token and port are masked
     */
    public static function answers(WebConfig $config, int $times = 3): array
    {
        $stack = WebStack::start($config);
        $answers = [];

        try {
            for ($i = 0; $i < $times; $i++) {
                foreach (self::all() as $page) {
                    $answers[$page->name()][] = self::ask($stack->url(), $page);
                }
            }
        } finally {
            $stack->stop();
        }

        return $answers;
    }

    /** @return array{int, string} */
    private static function ask(string $url, Page $page): array
    {
        $answer = Fetched::from($url.$page->target, ['method' => $page->method, 'content' => '']);

        return [
            $answer->status,
            (string) preg_replace(['/\b[A-Za-z0-9]{40}"/', '/127\.0\.0\.1:\d+/'], ['TOKEN"', 'HOST'], $answer->body),
        ];
    }
}
