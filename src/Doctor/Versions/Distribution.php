<?php

declare(strict_types=1);

namespace Headroom\Doctor\Versions;

/**
 * A release of a Linux distribution, which fixes faults of security in the versions that it has, also when their makers
 * no longer do.
 *
 * @internal
 */
final readonly class Distribution
{
    /** What endoflife.date calls those that os-release(5) has other names for. */
    private const NAMES = ['rocky' => 'rocky-linux', 'amzn' => 'amazon-linux', 'alpine' => 'alpine-linux'];

    private function __construct(public string $product, public string $version) {}

    /** @param string $text of os-release(5) */
    public static function fromOsRelease(string $text): ?self
    {
        $value = static fn (string $name): string
            => preg_match("/^{$name}=[\"']?([\\w.-]+)/m", $text, $m) === 1 ? $m[1] : '';
        $id = $value('ID');
        $version = $value('VERSION_ID');
        // Of a derived distribution nothing is known here.
        $isMinor = str_starts_with($id, 'ubuntu') || $id === 'alpine';

        return $id === '' || $version === ''
            ? null
            : new self(self::NAMES[$id] ?? $id, $isMinor ? $version : explode('.', $version)[0]);
    }

    /**
     * A package of Debian or Ubuntu has its distribution in its version once it was changed for a release; those that
     * their makers or others build have other words there: 1.26.2-1~bookworm, 15.8-1.pgdg120+1, 8.0.39-1debian12,
     * 10.11.9+maria~deb12.
     *
     * @param string $version as a server tells it, or dpkg
     */
    public static function named(string $version): ?self
    {
        return match (true) {
            preg_match('/[-+~]deb(\d+)u\d+/', $version, $m) === 1 => new self('debian', $m[1]),
            preg_match('/ubuntu0?\.(\d\d\.\d\d)\b/', $version, $m) === 1 => new self('ubuntu', $m[1]),
            default => null,
        };
    }

    public function name(): string
    {
        return "{$this->product} {$this->version}";
    }
}
