<?php

declare(strict_types=1);

namespace Headroom\Preload;

use Headroom\Core\HeadroomException;
use Headroom\Core\Printable;
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
        parent::__construct(Printable::line($message), 0, $previous);
    }

    public static function notInstalled(string $seen): self
    {
        return new self("There is no {$seen}, so this is not the root of an application, or its packages are not installed. Run: composer install --no-dev --optimize-autoloader --classmap-authoritative");
    }

    public static function noFrontController(string $path): self
    {
        return new self("There is no {$path}, which requests would enter by. Set headroom.preload.front to the front controller, relative to the root.");
    }

    public static function noOpcache(string $binary): self
    {
        return new self("{$binary} has no opcache, or it is off, so nothing can be preloaded. Install it (on Debian: apt-get install php-opcache) and set opcache.enable=1.");
    }

    /** @param string $state of the samples, in words */
    public static function nothingObserved(string $state): self
    {
        return new self("Nobody knows yet which classes requests use: {$state} Set HEADROOM_PRELOAD_SAMPLE=100 and let users come for a while, or name requests: --urls=FILE with one a line, --from-log=access.log, or --routes for all routes without parameters.");
    }

    public static function nothingToPreload(int $dropped): self
    {
        return new self("Nothing is left to preload: {$dropped} classes were wanted and all of them were left out. `ignore` and `share` of config/headroom.php may be too strict; --dry-run -v shows each reason.");
    }

    public static function noPages(): self
    {
        return new self('There is no page to compare, so nothing could be proven. Name some: --urls=FILE with one request a line, or --from-log=access.log, or --routes.');
    }

    public static function noAnswer(int $status, string $seen): self
    {
        return new self("A script that was to tell about opcache answered {$status}: ".Printable::name($seen, 300));
    }

    public static function unknownWarning(string $file, string $words): self
    {
        return new self("PHP says about {$file}, which is not in the list: {$words}. Nothing was installed.");
    }

    /** @param array<string, string> $failed what was seen, by page */
    public static function allFail(array $failed): self
    {
        $page = (string) array_key_first($failed);

        return new self('None of '.Printable::count(count($failed), 'page')." works without any preloading; {$page}: {$failed[$page]}. See the log of the application. Run it where the application runs, as the user of its workers, with the environment that they have.");
    }

    /** @param list<string> $others roots of applications */
    public static function sharedMaster(string $root, array $others, string $source): self
    {
        return new self('PHP-FPM also serves '.implode(', ', array_slice($others, 0, 3)).(count($others) > 3 ? ' and '.(count($others) - 3).' more' : '')." beside {$root} ({$source}). What is preloaded is there for all of its pools, so that the others would run this application's classes. Give this application a PHP-FPM of its own (a unit with another php-fpm.conf), then try again.");
    }

    public static function stillDiffers(string $page, string $how): self
    {
        return new self("{$page} answers otherwise with the list than without it, and no class could be found that does it: {$how} Nothing was installed.");
    }

    public static function noRoom(int $files, string $words): self
    {
        return new self("PHP-FPM would not start with these {$files} files, as it has too little room for them: {$words} Raise opcache.memory_consumption, opcache.max_accelerated_files or memory_limit in php.ini of PHP-FPM, or lower `budget_mb`. Nothing was installed.");
    }

    public static function didNotSettle(int $rounds): self
    {
        return new self("After {$rounds} rounds there are still classes that break something. Nothing was installed. Ignore their packages (`ignore` in config/headroom.php), or take a smaller strategy, such as hot-laravel.");
    }

    public static function notRead(string $file): self
    {
        return new self("{$file} can not be read by this user, or has just gone. Run it as a user that reads the whole release, when no deploy is under way.");
    }

    public static function notWritten(string $file, string $reason): self
    {
        return new self("{$file} can not be written: {$reason}. Run it as a user that owns the release, or set headroom.preload.file.");
    }
}
