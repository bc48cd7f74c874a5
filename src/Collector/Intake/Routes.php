<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake;

use Headroom\Collector\Intake\Format\Events;
use Headroom\Collector\Intake\Format\Format;
use Headroom\Collector\Intake\Format\OtlpLogs;
use Headroom\Collector\Intake\Format\Pixel;
use Headroom\Collector\Intake\Format\Segment;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Request;

use function array_keys;
use function in_array;

/**
 * What is at which path.
 *
 * @internal
 */
final class Routes
{
    private const PIXEL = '/v1/p.gif';

    public const VERSION = '/v1/version';

    /** What is posted where; of Segment's calls, which of them. */
    private const POSTED = [
        '/v1/events' => '', '/v1/batch' => '', '/v1/logs' => '',
        '/v1/track' => 'track', '/v1/identify' => 'identify', '/v1/page' => 'page', '/v1/screen' => 'screen', '/v1/group' => 'group', '/v1/alias' => 'alias',
    ];

    private readonly Members $members;

    /** @var array<string, Format> made when they are first asked for: where a process serves one request, that is one of them */
    private array $formats = [];

    public function __construct(private readonly IntakeSettings $settings)
    {
        $this->members = new Members($settings->limits->depth);
    }

    /**
     * @return ?Format null: it asks for the version
     *
     * @throws Refused
     */
    public function of(Request $request): ?Format
    {
        $methods = $this->methods($request->path);

        if (! in_array($request->method, $methods, true)) {
            throw Refused::method($request->method, $methods);
        }

        return $request->path === self::VERSION ? null : $this->formats[$request->path] ??= $this->format($request->path);
    }

    /**
     * @return non-empty-list<string>
     *
     * @throws Refused
     */
    public function methods(string $path): array
    {
        return match (true) {
            $path === self::PIXEL && $this->settings->hasPixel => ['GET', 'OPTIONS'],
            isset(self::POSTED[$path]) => ['POST', 'OPTIONS'],
            $path === self::VERSION => ['GET', 'HEAD', 'OPTIONS'],
            default => throw Refused::unknownPath($path),
        };
    }

    /** @return list<string> */
    public function paths(): array
    {
        return [...array_keys(self::POSTED), ...($this->settings->hasPixel ? [self::PIXEL] : [])];
    }

    public static function isPixel(Request $request): bool
    {
        return $request->path === self::PIXEL;
    }

    private function format(string $path): Format
    {
        return match ($path) {
            '/v1/events' => new Events($this->members),
            '/v1/logs' => new OtlpLogs($this->members, $this->settings->limits),
            self::PIXEL => new Pixel($this->members),
            default => new Segment($this->members, $this->settings->limits, (self::POSTED[$path] ?? '') === '' ? null : self::POSTED[$path]),
        };
    }
}
