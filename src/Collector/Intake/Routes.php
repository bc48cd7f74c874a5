<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake;

use Headroom\Collector\Intake\Format\Events;
use Headroom\Collector\Intake\Format\Format;
use Headroom\Collector\Intake\Format\OtlpLogs;
use Headroom\Collector\Intake\Format\Pixel;
use Headroom\Collector\Intake\Format\Segment;
use Headroom\Collector\Intake\Format\SegmentMessage;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Request;

use function array_keys;
use function in_array;

/**
 * What is at which path.
 *
 * @internal
 */
final readonly class Routes
{
    private const PIXEL = '/v1/p.gif';

    public const VERSION = '/v1/version';

    /** @var array<string, Format> */
    private array $formats;

    public function __construct(IntakeSettings $settings)
    {
        $members = new Members($settings->limits->depth);
        $formats = [
            '/v1/events' => new Events($members),
            '/v1/batch' => new Segment($members, $settings->limits),
            '/v1/logs' => new OtlpLogs($members, $settings->limits),
        ];

        foreach (SegmentMessage::CALLS as $call) {
            $formats["/v1/{$call}"] = new Segment($members, $settings->limits, $call);
        }

        $this->formats = $formats + ($settings->hasPixel ? [self::PIXEL => new Pixel($members)] : []);
    }

    /**
     * @return ?Format null: it asks for the version
     *
     * @throws Refused
     */
    public function of(Request $request): ?Format
    {
        $methods = $this->methods($request->path);

        return in_array($request->method, $methods, true) ? $this->formats[$request->path] ?? null : throw Refused::method($request->method, $methods);
    }

    /**
     * @return non-empty-list<string>
     *
     * @throws Refused
     */
    public function methods(string $path): array
    {
        return match (true) {
            $path === self::PIXEL && isset($this->formats[$path]) => ['GET', 'OPTIONS'],
            isset($this->formats[$path]) => ['POST', 'OPTIONS'],
            $path === self::VERSION => ['GET', 'HEAD', 'OPTIONS'],
            default => throw Refused::unknownPath($path),
        };
    }

    /** @return list<string> */
    public function paths(): array
    {
        return array_keys($this->formats);
    }

    public static function isPixel(Request $request): bool
    {
        return $request->path === self::PIXEL;
    }
}
