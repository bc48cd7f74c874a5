<?php

declare(strict_types=1);

namespace Headroom\Preload;

use Headroom\Core\HeadroomException;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * The list was not generated or not installed. An earlier list stays installed.
 *
 * @internal
 */
final class UnableToPreload extends RuntimeException implements HeadroomException
{
    private function __construct(string $message, ?Throwable $previous = null)
    {
        parent::__construct(TerminalText::line($message), 0, $previous);
    }

    public static function notInstalled(string $seen): self
    {
        return new self(
            "{$seen} does not exist, so this is not the root of an application, or its packages are not installed. Run:"
                .' composer install --no-dev --optimize-autoloader --classmap-authoritative',
        );
    }

    public static function noFrontController(string $path): self
    {
        return new self(
            "The front controller {$path} does not exist. Set headroom.preload.front to its path, relative"
                .' to the root.',
        );
    }

    public static function noOpcache(string $binary): self
    {
        return new self(
            "{$binary} has no opcache, or it is off, so it cannot preload. Install it (on Debian:"
                .' apt-get install php-opcache) and set opcache.enable=1.',
        );
    }

    /** @param string $access a sentence about the directory of the samples */
    public static function nothingObserved(string $access): self
    {
        return new self(
            "There are no samples of requests: {$access} Set HEADROOM_PRELOAD_SAMPLE=100 and wait for"
                .' requests of users,'
                .' or name requests with --urls=FILE, --from-log=access.log or --routes.',
        );
    }

    public static function nothingToPreload(int $dropped): self
    {
        return new self(
            "The list is empty: all {$dropped} requested classes were excluded."
                .' `ignore` or `share` in headroom.php may be too strict; --dry-run -v shows each reason.',
        );
    }

    public static function noPages(): self
    {
        return new self(
            'There is no page to compare, so no list can be proven. Name requests with --urls=FILE,'
                .' --from-log=access.log'
                .' or --routes.',
        );
    }

    public static function noAnswer(int $status, string $seen): self
    {
        return new self(
            "The script that reads the state of opcache answered {$status}: ".TerminalText::name($seen, 300),
        );
    }

    public static function unknownWarning(string $file, string $warning): self
    {
        return new self("PHP warns about {$file}, which is not in the list: {$warning}. Nothing was installed.");
    }

    /** @param array<string, string> $failed failures by page */
    public static function allFail(array $failed): self
    {
        $page = (string) array_key_first($failed);

        return new self(
            'None of '.TerminalText::count(count($failed), 'page')
                ." works even without preloading; {$page}: {$failed[$page]}. Read the log of the application,"
                .' and run this'
                .' where it runs, as the user of its workers and with their environment.',
        );
    }

    /** @param list<string> $others roots of applications */
    public static function sharedMaster(string $root, array $others, string $source): self
    {
        return new self(
            'PHP-FPM also serves '.implode(', ', array_slice($others, 0, 3))
                .(count($others) > 3 ? ' and '.(count($others) - 3).' more' : '')
                ." in addition to {$root} ({$source}). Preloaded classes exist in all of its pools, so the others would"
                .' run the classes of this application. Give this application a PHP-FPM of its own (a unit with another'
                .' php-fpm.conf), then try again.',
        );
    }

    public static function stillDiffers(string $page, string $difference): self
    {
        return new self(
            "{$page} differs with the list, and no single class was found to cause it: {$difference}"
                .' Nothing was installed.',
        );
    }

    public static function noRoom(int $files, string $error): self
    {
        return new self(
            "PHP-FPM has too little memory to start with {$files} files: {$error} Nothing was installed."
                .' Raise opcache.memory_consumption, opcache.max_accelerated_files or memory_limit in php.ini'
                .' of PHP-FPM,'
                .' or lower `budget_mb`.',
        );
    }

    public static function showsPreloading(string $page, int $classes, string $difference): self
    {
        return new self(
            "{$page} still differs after {$classes} classes were excluded because of it: {$difference}."
                .' Nothing was installed. Remove this page if it displays memory or loaded files, which always differ'
                .' with preloading.',
        );
    }

    public static function notPreloaded(int $scripts, int $files, string $reason): self
    {
        return new self(
            "PHP-FPM preloaded {$scripts} of {$files} files: {$reason} Nothing was installed. Check that its workers"
                .' (--user) may read the application, and that bootstrap/cache is a directory of the release and not a'
                .' link.',
        );
    }

    public static function changedMeanwhile(): self
    {
        return new self(
            'Files of the application changed while the list was proven, so nothing was installed. Run it again when no'
                .' deploy is running.',
        );
    }

    public static function didNotSettle(int $rounds): self
    {
        return new self(
            "After {$rounds} rounds there are still classes that change pages, so nothing was installed. Exclude their"
                .' packages with `ignore` in headroom.php, or choose a smaller strategy, such as hot-laravel.',
        );
    }

    public static function notRead(string $file): self
    {
        return new self(
            "{$file} cannot be read by this user, or was just deleted. Run this as a user that may read the whole"
                .' release, when no deploy is running.',
        );
    }

    public static function notOurs(string $file): self
    {
        return new self(
            "{$file} was not written by headroom:preload, so it is not replaced. Move it away, or set"
                .' headroom.preload.file to another name.',
        );
    }

    public static function noSuchPath(string $path, string $root): self
    {
        return new self(
            "headroom.preload.paths has {$path}, which does not exist below {$root}. Name directories and files there;"
                .' patterns are not supported.',
        );
    }

    public static function noDirectory(string $directory): self
    {
        return new self(
            "The directory {$directory} for the script does not exist. Create it,"
                .' or set headroom.preload.file to a file'
                .' in another directory, relative to the root.',
        );
    }

    /** @param array<string, string> $failed failures by page */
    public static function mostFail(array $failed, int $asked): self
    {
        $page = (string) array_key_first($failed);

        return new self(
            count($failed)
                ." of {$asked} pages do not work even without preloading, so the rest proves too little; {$page}:"
                ." {$failed[$page]}. Read the log of the application, and check maintenance mode,"
                .' the permissions of this'
                .' user, and the environment of the workers.',
        );
    }

    public static function nothingFound(int $asked): self
    {
        return new self(
            'None of '.TerminalText::count($asked, 'page')
                .' answers 2xx or 3xx, so only error pages would be compared. Name pages that work.',
        );
    }

    public static function notWritten(string $file, string $reason): self
    {
        return new self(
            "{$file} cannot be written: {$reason}. The command writes files next to the script, also with --dry-run."
                .' Run it as the user that owns the release, or set headroom.preload.file.',
        );
    }
}
