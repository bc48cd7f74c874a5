<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Headroom\Preload\PreloadConfig;
use Headroom\Preload\TargetApplication;
use Headroom\Preload\UnableToPreload;
use Headroom\Process\UnixUser;

/**
 * Finds the settings with which a private PHP-FPM serves the application as its own does.
 *
 * @internal
 */
final readonly class TargetApplicationFactory
{
    /** The user of Debian's PHP-FPM. */
    private const USUAL_USER = 'www-data';

    public function __construct(private string $root, private PreloadConfig $config) {}

    /**
     * @param array<string, string> $headers
     * @param ?string $user of the workers if root runs this; null for the owner of the storage directory
     */
    public function create(array $headers, ?string $user): TargetApplication
    {
        $front = "{$this->root}/{$this->config->front}";

        return new TargetApplication(
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
     * The environment at the start of this process. Laravel has added the variables of .env since.
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
