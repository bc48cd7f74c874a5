<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Nginx;

/**
 * What `nginx -V` tells of how it was built.
 *
 * @internal
 */
final readonly class Build
{
    private function __construct(public ?Version $version, private string $prefix, private string $config) {}

    /** @return ?self null for what is no nginx */
    public static function fromText(string $text): ?self
    {
        if (preg_match('/^configure arguments:.*$/m', $text, $arguments) !== 1) {
            return null;
        }

        $prefix = self::argument('prefix', $arguments[0]) ?? '/usr/local/nginx';

        return new self(Version::fromText($text), $prefix, self::argument('conf-path', $arguments[0]) ?? 'conf/nginx.conf');
    }

    /** The outermost file. */
    public function configFile(CommandLine $started): string
    {
        $prefix = rtrim($started->prefix ?? $this->prefix, '/');
        $file = $started->config ?? $this->config;

        return str_starts_with($file, '/') ? $file : "{$prefix}/{$file}";
    }

    private static function argument(string $name, string $arguments): ?string
    {
        return preg_match("/ --{$name}=('[^']*'|\\S+)/", $arguments, $m) === 1 ? trim($m[1], "'") : null;
    }
}
