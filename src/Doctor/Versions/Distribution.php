<?php

declare(strict_types=1);

namespace Headroom\Doctor\Versions;

/**
 * A release of a Linux distribution, which publishes security fixes for its packages, even after their makers have
 * stopped.
 *
 * @internal
 */
final readonly class Distribution
{
    /** Names of endoflife.date that differ from those of os-release(5). */
    private const NAMES = ['rocky' => 'rocky-linux', 'amzn' => 'amazon-linux', 'alpine' => 'alpine-linux'];

    private function __construct(public string $product, public string $version) {}

    /** @param string $text of os-release(5) */
    public static function fromOsRelease(string $text): ?self
    {
        $value = static fn (string $name): string
            => preg_match("/^{$name}=[\"']?([\\w.-]+)/m", $text, $m) === 1 ? $m[1] : '';
        $id = $value('ID');
        $version = $value('VERSION_ID');
        // Nothing is known about derived distributions.
        $isMinor = str_starts_with($id, 'ubuntu') || $id === 'alpine';

        return $id === '' || $version === ''
            ? null
            : new self(self::NAMES[$id] ?? $id, $isMinor ? $version : explode('.', $version)[0]);
    }

    /**
     * A package of Debian or Ubuntu that was changed for a release has the distribution in its version. Builds of the
     * makers or of third parties have other suffixes: 1.26.2-1~bookworm, 15.8-1.pgdg120+1, 8.0.39-1debian12,
     * 10.11.9+maria~deb12.
     *
     * @param string $version from a server or from dpkg
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
