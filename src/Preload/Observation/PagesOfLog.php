<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Host\AccessLog\AccessLogEntry;
use Headroom\Host\AccessLog\AccessLogReader;
use Headroom\Host\AccessLog\Unparsed;
use Headroom\Host\Log\LogFile;
use Headroom\Host\Log\LogLines;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Preload\Page;

/**
 * The pages that an access log says are asked for.
 *
 * @internal
 */
final class PagesOfLog
{
    private const MOST_SHAPES = 20_000;

    /** What a web server answers itself, also where its file has gone since. */
    private const ASSETS = '/\.(?:css|js|mjs|map|png|jpe?g|gif|webp|avif|svg|ico|bmp|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|pdf|zip|gz|txt|xml|wasm|webmanifest)\z/i';

    /** @var array<string, int> */
    private array $leftOut = [];

    private int $lines = 0;

    /** @param ?string $public directory whose files the web server answers itself */
    private function __construct(private readonly ?string $public) {}

    /**
     * @param int $most pages
     * @param ?string $public directory whose files the web server answers itself
     * @return list<Page> the most frequent first
     *
     * @throws InvalidPages
     * @throws UnableToReadLog
     */
    public static function read(string $path, int $most = PageCounts::PAGES, ?string $public = null): array
    {
        $log = new self($public);
        $pages = $log->tally(LogFile::open($path))->pages($most);

        return $pages === [] ? throw InvalidPages::emptyLog($path, $log->lines, $log->leftOut) : $pages;
    }

    /** @throws UnableToReadLog */
    private function tally(LogFile $file): PageCounts
    {
        $tally = new PageCounts(self::MOST_SHAPES);

        foreach ((new AccessLogReader)->entries(LogLines::of($file->chunks())->texts()) as $entry) {
            $this->lines++;
            $reason = $entry instanceof Unparsed ? 'that can not be read' : $this->reason($entry);

            if ($reason === null && $entry instanceof AccessLogEntry) {
                // What a reader decoded is sent as it came, and a fragment is none of a server's business.
                $target = self::encoded(explode('#', (string) $entry->target, 2)[0]);
                $tally->add(UrlPattern::of($target), $target);
            } else {
                $this->leftOut[(string) $reason] = ($this->leftOut[(string) $reason] ?? 0) + 1;
            }
        }

        return $tally;
    }

    /** Why a request is no page that can be asked for again; null: it is one. */
    private function reason(AccessLogEntry $entry): ?string
    {
        $target = (string) $entry->target;

        return match (true) {
            $entry->method !== 'GET' => 'with another method than GET',
            $entry->status === null || $entry->status < 200 || $entry->status > 399 => 'answered neither 2xx nor 3xx',
            ! str_starts_with($target, '/') => 'without a path',
            $this->isFile(explode('?', $target, 2)[0]) => 'of static files',
            default => null,
        };
    }

    private function isFile(string $path): bool
    {
        $name = basename($path);

        if (! str_contains($name, '.') || str_ends_with($name, '.php')) {
            return false;
        }

        return preg_match(self::ASSETS, $name) === 1
            || ($this->public !== null && ! str_contains($path, "\0") && is_file($this->public.rawurldecode($path)));
    }

    private static function encoded(string $target): string
    {
        return (string) preg_replace_callback(
            '/[^\x21-\x7E]/',
            static fn (array $m): string => rawurlencode($m[0]),
            $target,
        );
    }
}
