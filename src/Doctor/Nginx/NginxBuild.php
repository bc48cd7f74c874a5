<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

/**
 * The paths and the version that `nginx -V` prints.
 *
 * @internal
 */
final readonly class NginxBuild
{
    private function __construct(public ?NginxVersion $version, private string $prefix, private string $config) {}

    /** Null where the text is not that of an nginx. */
    public static function fromText(string $text): ?self
    {
        if (preg_match('/^configure arguments:.*$/m', $text, $arguments) !== 1) {
            return null;
        }

        // One after the other, so that a dash in quotes does not begin an argument.
        preg_match_all("/ --([\\w-]+)(?:=('[^']*'|\\S+))?/", $arguments[0], $found);
        $options = array_combine(
            $found[1],
            array_map(static fn (string $value): string => trim($value, "'"), $found[2]),
        );

        return new self(
            NginxVersion::fromText($text),
            $options['prefix'] ?? '/usr/local/nginx',
            $options['conf-path'] ?? 'conf/nginx.conf',
        );
    }

    /** The outermost file. */
    public function configFile(NginxCommandLine $started): string
    {
        $prefix = rtrim($started->prefix ?? $this->prefix, '/');
        $file = $started->config ?? $this->config;

        return str_starts_with($file, '/') ? $file : "{$prefix}/{$file}";
    }
}
