<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Headroom\Collector\Ingest\Format\EventFormat;
use Headroom\Collector\Ingest\Format\JsonEvents;
use Headroom\Collector\Ingest\Format\OtlpLogs;
use Headroom\Collector\Ingest\Format\SegmentCalls;
use Headroom\Collector\Ingest\Format\TrackingPixel;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Request;

use function array_key_exists;
use function array_keys;
use function in_array;
use function levenshtein;
use function preg_match;
use function preg_replace;
use function rawurldecode;
use function rtrim;
use function str_contains;
use function str_ends_with;
use function str_starts_with;
use function strlen;
use function strtolower;
use function substr;

/**
 * Maps paths to formats.
 *
 * @internal
 */
final class Router
{
    /** A shorter path is similar to any other. */
    private const MIN_BYTES = 6;

    private const MAX_BYTES = 100;

    private const MAX_TYPOS = 2;

    private const PIXEL = '/v1/p.gif';

    public const VERSION = '/v1/version';

    /** Metrics that Segment's browser libraries send about themselves. */
    public const METRIC = 'metric';

    private const EVENTS = '/v1/events';

    private const LOGS = '/v1/logs';

    private const UNSUPPORTED = ['/v1/traces', '/v1/metrics'];

    /** The call of each path of Segment's server and browser libraries; null for a batch. */
    private const SEGMENT = [
        '/v1/batch' => null, '/v1/track' => 'track', '/v1/identify' => 'identify', '/v1/page' => 'page',
        '/v1/screen' => 'screen', '/v1/group' => 'group', '/v1/alias' => 'alias',
        '/v1/b' => null, '/v1/t' => 'track', '/v1/i' => 'identify', '/v1/p' => 'page',
        '/v1/s' => 'screen', '/v1/g' => 'group', '/v1/a' => 'alias',
        '/v1/m' => self::METRIC, '/v1/import' => null, '/b' => null, '/beacon/v1/batch' => null,
    ];

    private readonly JsonObject $objects;

    /**
     * @var array<string, EventFormat> created on first use, because a PHP-FPM process needs one of them
     */
    private array $formats = [];

    public function __construct(private readonly IngestSettings $settings)
    {
        $this->objects = new JsonObject($settings->limits->depth);
    }

    /**
     * @return ?EventFormat null for GET /v1/version
     *
     * @throws RequestError
     */
    public function format(Request $request): ?EventFormat
    {
        $path = $request->path;
        $methods = $this->methods($path);

        if (! in_array($request->method, $methods, true)) {
            throw RequestError::method($request->method, $methods);
        }

        return $path === self::VERSION ? null : $this->formats[$path] ??= $this->create($path);
    }

    /**
     * @return non-empty-list<string>
     *
     * @throws RequestError
     */
    public function methods(string $path): array
    {
        return match (true) {
            $path === self::PIXEL && $this->settings->hasPixel => ['GET', 'OPTIONS'],
            $path === self::EVENTS, $path === self::LOGS, array_key_exists($path, self::SEGMENT) => ['POST', 'OPTIONS'],
            $path === self::VERSION => ['GET', 'HEAD', 'OPTIONS'],
            in_array($path, self::UNSUPPORTED, true) => throw RequestError::notOfLogs($path),
            default => throw RequestError::unknownPath($path, $this->nearest($path)),
        };
    }

    /** @return list<string> */
    public function paths(): array
    {
        $pixel = $this->settings->hasPixel ? [self::PIXEL] : [];

        return [self::EVENTS, self::LOGS, ...array_keys(self::SEGMENT), ...$pixel];
    }

    /** Removes double and trailing slashes, which clients create when they join a base URL and a path. */
    public static function normalized(Request $request): Request
    {
        $path = $request->path;

        if (! str_contains($path, '//') && ! str_ends_with($path, '/')) {
            return $request;
        }

        $single = rtrim((string) preg_replace('~/{2,}~', '/', $path), '/');

        return $request->at($single === '' ? '/' : $single);
    }

    public static function isPixel(Request $request): bool
    {
        return $request->path === self::PIXEL;
    }

    /** @return ?string an existing path with another prefix or suffix, or with at most two typos */
    private function nearest(string $path): ?string
    {
        $path = strtolower(rawurldecode(substr($path, 0, self::MAX_BYTES)));
        $nearest = null;
        $least = self::MAX_TYPOS + 1;

        foreach ([...$this->paths(), ...self::UNSUPPORTED] as $known) {
            $isPart = str_ends_with($path, $known)
                || str_ends_with($known, $path)
                || (strlen($path) > self::MIN_BYTES && str_starts_with($known, $path))
                || preg_match("~\\A\\Q{$known}\\E[/.;]~", $path) === 1;
            $wrong = $isPart ? 0 : levenshtein($path, $known);

            if (strlen($known) > self::MIN_BYTES && $wrong < $least) {
                [$nearest, $least] = [$known, $wrong];
            }
        }

        return $nearest;
    }

    private function create(string $path): EventFormat
    {
        return match ($path) {
            self::EVENTS => new JsonEvents($this->objects),
            self::LOGS => new OtlpLogs($this->objects, $this->settings->limits),
            self::PIXEL => new TrackingPixel($this->objects),
            default => new SegmentCalls($this->objects, $this->settings->limits, self::SEGMENT[$path] ?? null),
        };
    }
}
