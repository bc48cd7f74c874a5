<?php

declare(strict_types=1);

namespace Headroom\Laravel\Install;

use Headroom\Doctor\Application\ConfigFile;
use Headroom\Doctor\UnableToEdit;
use Headroom\Support\AtomicFile;

/**
 * Turns on the setting `health_route` in a published config/spool.php. To turn it off, remove the line.
 *
 * @internal
 */
final readonly class HealthRoute
{
    public function __construct(private string $path) {}

    /**
     * @return bool false when the file cannot be written, or when its array or this value is not written out: the
     *     value may come from a variable of the environment
     */
    public function turnOn(): bool
    {
        // The file may be a link to one that releases share.
        $path = @realpath($this->path);
        $code = $path === false ? false : @file_get_contents($path);

        if ($path === false || $code === false || ! is_writable($path)) {
            return false;
        }

        $changed = $code;

        try {
            foreach ($edits = ConfigFile::edits($path, $code, ['health_route' => 'true']) as $edit) {
                $changed = $edit->appliedTo($changed);
            }
        } catch (UnableToEdit) {
            return false;
        }

        return $edits !== [] && ($changed === $code || self::replace($path, $changed));
    }

    /** On a full disk the old file stays: half of it would be an error of each request. */
    private static function replace(string $path, string $code): bool
    {
        $stat = @stat($path);

        if ($stat === false || ! @AtomicFile::replace($path, $code, $stat['mode'] & 0777)) {
            return false;
        }

        // Root keeps the owner. Another user that may write here may not give a file away.
        @chown($path, $stat['uid']);
        @chgrp($path, $stat['gid']);

        return true;
    }
}
