<?php

declare(strict_types=1);

namespace Headroom\Preload\Script;

use Headroom\Core\Clock;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\UnableToPreload;

/**
 * A script beside the one that is installed, in the same folder, since it finds the application from there. It is tried as it
 * will be installed, byte for byte.
 *
 * @internal
 */
final class Candidate
{
    private const LEFT_SECONDS = 3_600;

    private readonly string $path;

    private string $text = '';

    /** @param string $installed absolute */
    public function __construct(private readonly Script $script, private readonly string $installed, private readonly Clock $clock)
    {
        $this->path = "{$this->prefix()}-".bin2hex(random_bytes(6)).'.php';
    }

    /** What runs left that were killed; one that is under way is younger. */
    public function sweep(): void
    {
        $left = glob("{$this->prefix()}-????????????.php");

        foreach ($left === false ? [] : $left as $file) {
            if (@filemtime($file) < intdiv($this->clock->micros(), 1_000_000) - self::LEFT_SECONDS) {
                @unlink($file);
            }
        }
    }

    /**
     * @return string its path
     *
     * @throws UnableToPreload
     */
    public function write(Selection $selection): string
    {
        $this->text = $this->script->text($selection);
        error_clear_last();

        if (@file_put_contents($this->path, $this->text) !== strlen($this->text)) {
            throw UnableToPreload::notWritten($this->path, error_get_last()['message'] ?? 'the disk may be full');
        }

        // PHP-FPM may preload it as another user; umask(2) has no say in chmod(2).
        chmod($this->path, 0o644);

        return $this->path;
    }

    /** Whether the same was installed before. */
    public function isInstalled(): bool
    {
        return is_file($this->installed) && file_get_contents($this->installed) === $this->text;
    }

    /** @throws UnableToPreload */
    public function install(): void
    {
        error_clear_last();

        if (! @rename($this->path, $this->installed)) {
            throw UnableToPreload::notWritten($this->installed, error_get_last()['message'] ?? 'it can not be replaced');
        }
    }

    public function remove(): void
    {
        if (is_file($this->path)) {
            unlink($this->path);
        }
    }

    private function prefix(): string
    {
        return dirname($this->installed).'/.'.basename($this->installed, '.php');
    }
}
