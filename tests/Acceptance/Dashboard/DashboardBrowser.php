<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Dashboard;

use Closure;
use Headroom\Tests\Acceptance\Charts\Browser;
use PHPUnit\Framework\Assert;

/**
 * The dashboard in a real Chromium, by way of tests/Browser/dashboard.mjs. Without an address it talks to the server
 * in tests/Browser/dashboard, which fails on request.
 *
 * @phpstan-type Chart array{label: string, lines: list<array{string, int}>, canvas: int}
 * @phpstan-type State array{
 *     title: string,
 *     hash: string,
 *     hit: int,
 *     foreign: int,
 *     inline: int,
 *     heading: ?string,
 *     headings: list<string>,
 *     text: string,
 *     live: ?string,
 *     problem: ?string,
 *     result: ?string,
 *     announced: list<string>,
 *     dialog: ?string,
 *     focus: string,
 *     selection: string,
 *     scroll: int,
 *     open: int,
 *     background: string,
 *     overflow: int,
 *     outside: list<string>,
 *     sideways: list<string>,
 *     buttons: list<string>,
 *     current: list<string>,
 *     tables: array<string, list<list<string>>>,
 *     unnamed: int,
 *     charts: list<Chart>,
 *     order: bool,
 * }
 * @phpstan-type Request array{
 *     at: float,
 *     until: float,
 *     method: string,
 *     path: string,
 *     query: string,
 *     body: ?array<string, mixed>,
 *     csrf: ?string,
 *     token: ?string,
 *     cookie: ?string,
 * }
 * @phpstan-type Stop array{name: string, isSeen: bool, isInDialog: bool}
 * @phpstan-type Seen array{
 *     errors: list<string>,
 *     elsewhere: list<string>,
 *     requests: list<Request>,
 *     states: array<string, State>,
 *     walks: array<string, list<Stop>>,
 *     axe: array<string, array{passes: int, violations: list<string>}>,
 *     downloads: list<array{name: string, lines: int}>,
 *     marks: array<string, int>,
 * }
 */
final readonly class DashboardBrowser
{
    /** Fragment of each view, and text that stands there as soon as it has its data. */
    public const VIEWS = [
        'now' => ['#/', 'web-3'],
        'bucket' => ['#/buckets/api-events', 'max_bytes'],
        'dead' => ['#/dead/api-events', '37 of 37'],
        'events' => ['#/events/api-events', 'sealed'],
        'machine' => ['#/machine', 'keepalive'],
    ];

    /**
     * @param list<array<string, mixed>> $steps
     * @param array<string, mixed> $server state of the server
     * @param string $at fragment to open
     * @return Seen
     */
    public static function look(
        array $steps,
        array $server = [],
        string $at = '',
        int $width = 1280,
        bool $dark = false,
        ?string $url = null,
        ?Closure $act = null,
    ): array {
        /** @var Seen $seen */
        $seen = Browser::run('dashboard.mjs', [
            'url' => $url,
            'server' => (object) $server,
            'at' => $at,
            'steps' => $steps,
            'width' => $width,
            'dark' => $dark,
        ], act: $act);

        return $seen;
    }

    /** @param Seen $seen */
    public static function assertNothingWrong(array $seen): void
    {
        Assert::assertSame([[], []], [$seen['errors'], $seen['elsewhere']]);

        foreach ($seen['states'] as $name => $state) {
            Assert::assertSame(
                [0, 0, 0, 0],
                [$state['hit'], $state['foreign'], $state['inline'], $state['unnamed']],
                $name,
            );
        }
    }

    /**
     * @param Seen $seen
     * @return list<Request>
     */
    public static function requests(array $seen, string $path, int $from = 0): array
    {
        return array_values(array_filter(
            array_slice($seen['requests'], $from),
            static fn (array $request): bool => str_starts_with($request['path'], $path),
        ));
    }
}
