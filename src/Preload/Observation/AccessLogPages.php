<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Host\AccessLog\AccessLogEntry;
use Headroom\Host\AccessLog\AccessLogReader;
use Headroom\Host\AccessLog\Unparsed;
use Headroom\Host\Log\LogFile;
use Headroom\Host\Log\LogLines;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Page;

/**
 * The pages of an access log.
 *
 * @internal
 */
final class AccessLogPages
{
    private const MAX_PATTERNS = 20_000;

    /** The web server answers these itself, even if the file was deleted since. */
    private const ASSETS =
        '/\.(?:css|js|mjs|map|png|jpe?g|gif|webp|avif|svg|ico|bmp|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|pdf'
            .'|zip|gz|txt|xml|wasm|webmanifest)\z/i';

    /** @var array<string, int> */
    private array $leftOut = [];

    private int $lines = 0;

    /** @param ?string $public directory whose files the web server answers itself */
    private function __construct(private readonly ?string $public) {}

    /**
     * @param int $limit of pages
     * @param ?string $public directory whose files the web server answers itself
     * @return list<Page> the most frequent first
     *
     * @throws InvalidPages
     * @throws UnableToReadLog
     */
    public static function read(string $path, int $limit = ObservedRequests::MAX_PAGES, ?string $public = null): array
    {
        $log = new self($public);
        $pages = $log->count(LogFile::open($path))->pages($limit);

        return $pages === [] ? throw InvalidPages::emptyLog($path, $log->lines, $log->leftOut) : $pages;
    }

    /** @throws UnableToReadLog */
    private function count(LogFile $file): PageCounts
    {
        $counts = new PageCounts(self::MAX_PATTERNS);

        foreach ((new AccessLogReader)->entries(LogLines::of($file->chunks())->texts()) as $entry) {
            $this->lines++;
            $reason = $entry instanceof Unparsed ? 'that cannot be read' : $this->objection($entry);

            if ($reason === null && $entry instanceof AccessLogEntry) {
                // The reader decodes escapes of the log, so they are encoded again. Browsers do not send a fragment.
                $target = self::encoded(explode('#', (string) $entry->target, 2)[0]);
                $counts->add(UrlPattern::of($target), $target);
            } else {
                $this->leftOut[(string) $reason] = ($this->leftOut[(string) $reason] ?? 0) + 1;
            }
        }

        return $counts;
    }

    /** Why the request cannot be repeated; null if it can. */
    private function objection(AccessLogEntry $entry): ?string
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
