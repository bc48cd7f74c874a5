<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Charts;

use Headroom\Tests\Acceptance\AccessLog\AccessLog;

/**
 * The requests of the access log as events, at the log's own times, and how many of them there are: counted here, and
 * not by what is tested.
 */
final readonly class SiteEvents
{
    /** @param list<array{type: string, source: string, key: ?string, time: int, path: string}> $events */
    private function __construct(public array $events) {}

    public static function read(): self
    {
        $events = [];

        foreach ((new AccessLog(1))->events(10_000) as $number => $request) {
            $events[] = [
                'type' => self::type($number, $request['path']),
                'source' => 'web-'.$number % 3,
                'key' => $number % 2 === 0 ? null : 'site',
                'time' => (int) strtotime("{$request['time']} UTC"),
                'path' => $request['path'],
            ];
        }

        return new self($events);
    }

    /** The same, moved so that the last one was a minute before now. */
    public function upTo(int $now): self
    {
        $shift = $now - 60 - max([0, ...array_column($this->events, 'time')]);

        return new self(array_map(
            static fn (array $event): array => [...$event, 'time' => $event['time'] + $shift],
            $this->events,
        ));
    }

    /** @return list<array<string, mixed>> */
    public function documents(): array
    {
        return array_map(static fn (array $event, int $number): array => [
            '@timestamp' => gmdate('Y-m-d\TH:i:s\Z', $event['time']),
            'id' => "line-{$number}",
            'type' => $event['type'],
            'source' => $event['source'],
            ...($event['key'] === null ? [] : ['key' => $event['key']]),
            'data' => ['path' => mb_scrub($event['path'])],
        ], $this->events, array_keys($this->events));
    }

    /**
     * @param 'type'|'source'|'key' $by
     * @param callable(array{type: string, source: string, key: ?string, time: int, path: string}): bool $which
     * @return array<string, int> by name, most first
     */
    public function count(string $by, callable $which): array
    {
        $names = array_map(
            static fn (array $event): string => $event[$by] ?? '(none)',
            array_filter($this->events, $which),
        );
        $counts = array_count_values($names);
        ksort($counts);
        arsort($counts);

        return array_combine(array_map(strval(...), array_keys($counts)), array_values($counts));
    }

    private static function type(int $number, string $path): string
    {
        return match (true) {
            $number % 500 === 3 => 'log',
            $number % 7 === 0 => 'order.placed',
            $number % 11 === 0 => 'user.clicked',
            preg_match('/\.(png|jpe?g|gif)/', $path) === 1 => 'page.image_loaded',
            preg_match('/\.(css|js|ico)/', $path) === 1 => 'asset.served',
            str_contains($path, 'feed') || str_contains($path, 'rss') => 'feed.fetched',
            str_contains($path, '/blog') => 'page.viewed',
            str_contains($path, 'presentations') => 'presentation.opened',
            str_contains($path, 'files') => 'file.downloaded',
            str_contains($path, 'projects') => 'project.viewed',
            str_contains($path, 'articles') => 'article.read',
            $path === '/' => 'home.visited',
            default => 'other.visited.'.substr(md5($path), 0, 1),
        };
    }
}
