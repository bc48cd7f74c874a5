<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Site;
use Headroom\Preload\UnableToPreload;
use Headroom\Process\UnixUser;

/**
 * How a private PHP-FPM serves the application as its own does.
 *
 * @internal
 */
final readonly class Sites
{
    /** Whom Debian's PHP-FPM runs as. */
    private const USUAL_USER = 'www-data';

    public function __construct(private string $root, private PreloadConfig $config) {}

    /**
     * @param array<string, string> $headers
     * @param ?string $user whom the workers run as when root asks; null for the owner of what they write to
     */
    public function site(array $headers, ?string $user): Site
    {
        $front = "{$this->root}/{$this->config->front}";

        return new Site(
            $this->root,
            is_file($front) ? $front : throw UnableToPreload::noFrontController($front),
            $this->config->url,
            self::environment(),
            $headers,
            UnixUser::forWorkers($user ?? $this->owner()),
        );
    }

    private function owner(): string
    {
        foreach (['storage/framework', 'storage', ''] as $folder) {
            $owner = @fileowner("{$this->root}/{$folder}");
            $entry = $owner === false || $owner === 0 ? false : posix_getpwuid($owner);

            if ($entry !== false) {
                return $entry['name'];
            }
        }

        return self::USUAL_USER;
    }

    /**
     * That this process was started with: an application has since put what its .env says among it.
     *
     * @return array<string, string>
     */
    private static function environment(): array
    {
        $text = @file_get_contents('/proc/self/environ');
        $environment = [];

        foreach ($text === false ? [] : explode("\0", $text) as $line) {
            if (str_contains($line, '=')) {
                [$name, $value] = explode('=', $line, 2);
                $environment[$name] = $value;
            }
        }

        return $text === false ? getenv() : $environment;
    }
}
