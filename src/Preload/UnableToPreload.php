<?php

declare(strict_types=1);

namespace Headroom\Preload;

use Headroom\Core\HeadroomException;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * A list that was not made, or not installed. What was installed before is as it was.
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
            "There is no {$seen}, so this is not the root of an application, or its packages are not installed. Run:"
                .' composer install --no-dev --optimize-autoloader --classmap-authoritative',
        );
    }

    public static function noFrontController(string $path): self
    {
        return new self(
            "There is no {$path}, which requests would enter by. Set headroom.preload.front to the front controller,"
                .' relative to the root.',
        );
    }

    public static function noOpcache(string $binary): self
    {
        return new self(
            "{$binary} has no opcache, or it is off, so nothing can be preloaded. Install it (on Debian:"
                .' apt-get install php-opcache) and set opcache.enable=1.',
        );
    }

    /** @param string $state of the samples, in words */
    public static function nothingObserved(string $state): self
    {
        return new self(
            "Nobody knows yet which classes requests use: {$state} Set HEADROOM_PRELOAD_SAMPLE=100 and let users come"
                .' for a while, or name requests: --urls=FILE with one a line, --from-log=access.log, or --routes for'
                .' all routes without parameters.',
        );
    }

    public static function nothingToPreload(int $dropped): self
    {
        return new self(
            "Nothing is left to preload: {$dropped} classes were wanted and all of them were left out."
                .' `ignore` and `share` of headroom.php may be too strict; --dry-run -v shows each reason.',
        );
    }

    public static function noPages(): self
    {
        return new self(
            'There is no page to compare, so nothing could be proven. Name some: --urls=FILE with one request a line,'
                .' or --from-log=access.log, or --routes.',
        );
    }

    public static function noAnswer(int $status, string $seen): self
    {
        return new self("A script that was to tell about opcache answered {$status}: ".TerminalText::name($seen, 300));
    }

    public static function unknownWarning(string $file, string $words): self
    {
        return new self("PHP says about {$file}, which is not in the list: {$words}. Nothing was installed.");
    }

    /** @param array<string, string> $failed what was seen, by page */
    public static function allFail(array $failed): self
    {
        $page = (string) array_key_first($failed);

        return new self(
            'None of '.TerminalText::count(count($failed), 'page')
                ." works without any preloading; {$page}: {$failed[$page]}. See the log of the application."
                .' Run it where the application runs, as the user of its workers, with the environment that they have.',
        );
    }

    /** @param list<string> $others roots of applications */
    public static function sharedMaster(string $root, array $others, string $source): self
    {
        return new self(
            'PHP-FPM also serves '.implode(', ', array_slice($others, 0, 3))
                .(count($others) > 3 ? ' and '.(count($others) - 3).' more' : '')
                ." beside {$root} ({$source}). What is preloaded is there for all of its pools, so that the others"
                ." would run this application's classes. Give this application a PHP-FPM of its own (a unit with"
                .' another php-fpm.conf), then try again.',
        );
    }

    public static function stillDiffers(string $page, string $how): self
    {
        return new self(
            "{$page} answers otherwise with the list than without it, and no class could be found that does it:"
                ." {$how} Nothing was installed.",
        );
    }

    public static function noRoom(int $files, string $words): self
    {
        return new self(
            "PHP-FPM would not start with these {$files} files, as it has too little room for them:"
                ." {$words} Raise opcache.memory_consumption, opcache.max_accelerated_files or memory_limit in php.ini"
                .' of PHP-FPM, or lower `budget_mb`. Nothing was installed.',
        );
    }

    public static function showsPreloading(string $page, int $classes, string $how): self
    {
        return new self(
            "{$page} is not as without the list even after {$classes} classes were left out for it: {$how}."
                .' It may show memory, or which files were loaded, which is never the same with preloading.'
                .' Take it out. Nothing was installed.',
        );
    }

    public static function notPreloaded(int $scripts, int $files, string $said): self
    {
        return new self(
            "Of {$files} files PHP-FPM preloaded {$scripts}, so that nothing is proven:"
                ." {$said} Can its workers (--user) read the application? Is bootstrap/cache a folder of the release,"
                .' and no link? Nothing was installed.',
        );
    }

    public static function changedMeanwhile(): self
    {
        return new self(
            'Files of the application have changed while the list was proven. Nothing was installed;'
                .' run it again when no deploy is under way.',
        );
    }

    public static function didNotSettle(int $rounds): self
    {
        return new self(
            "After {$rounds} rounds there are still classes that break something. Nothing was installed."
                .' Ignore their packages (`ignore` in headroom.php), or take a smaller strategy, such as hot-laravel.',
        );
    }

    public static function notRead(string $file): self
    {
        return new self(
            "{$file} can not be read by this user, or has just gone. Run it as a user that reads the whole release,"
                .' when no deploy is under way.',
        );
    }

    public static function notOurs(string $file): self
    {
        return new self(
            "{$file} was not made by headroom preload, and is left as it is. Move it away, or set headroom.preload.file"
                .' to another name.',
        );
    }

    public static function noSuchPath(string $path, string $root): self
    {
        return new self(
            "headroom.preload.paths names {$path}, and there is no such file or folder below {$root}."
                .' Folders and files are wanted there, without patterns.',
        );
    }

    public static function noFolder(string $folder): self
    {
        return new self(
            "There is no folder {$folder} for the script. Make it, or set headroom.preload.file to a file in one that"
                .' is there, relative to the root.',
        );
    }

    /** @param array<string, string> $failed what was seen, by page */
    public static function mostFail(array $failed, int $asked): self
    {
        $page = (string) array_key_first($failed);

        return new self(
            count($failed)." of {$asked} pages do not work without any preloading, which proves too little; {$page}:"
                ." {$failed[$page]}. See the log of the application. Is it down for maintenance, does this user see its"
                .' files, has it the environment of its workers?',
        );
    }

    public static function nothingFound(int $asked): self
    {
        return new self(
            'None of '.TerminalText::count($asked, 'page')
                .' answers 2xx or 3xx, so that it would be proven that errors stay errors. Name pages that work.',
        );
    }

    public static function notWritten(string $file, string $reason): self
    {
        return new self(
            "{$file} can not be written: {$reason}. Candidates are written beside the script, with --dry-run too."
                .' Run it as a user that owns the release, or set headroom.preload.file.',
        );
    }
}
