<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Process\Ports;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use Headroom\Tests\Support\Markdown\Walkthrough;
use PDO;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * A new Laravel application next to a clone, and a reader of a page who works in it.
 */
final readonly class NewLaravel
{
    private const CREATE = 'composer create-project laravel/laravel shop';

    /** The development tools of the skeleton need PHP 8.3 in their newest versions; a reader of the page needs none. */
    private const CREATE_WITHOUT_TOOLS = 'composer create-project laravel/laravel shop --no-install --no-scripts'
        .' && (cd shop && composer remove --dev --no-update laravel/pint laravel/sail laravel/pail'
        .' && composer install && composer run-script post-root-package-install'
        .' && composer run-script post-create-project-cmd)';

    private const ENV = [
        'COMPOSER_ALLOW_SUPERUSER' => '1', 'COMPOSER_NO_AUDIT' => '1', 'COMPOSER_NO_INTERACTION' => '1',
        // What PHPUnit, and the tests for their own PHP, have set.
        'PHP_INI_SCAN_DIR' => false,
        'APP_ENV' => false, 'DB_CONNECTION' => false, 'DB_DATABASE' => false,
    ];

    private const SECONDS_TO_DELIVER = 150;

    /** @param bool $shortened a few requests instead of 15 seconds, which take as long as the machine needs */
    public static function reader(TemporaryDirectory $directory, bool $shortened): Walkthrough
    {
        symlink(Files::root(), $directory->file('headroom'));

        return new Walkthrough($directory->path, [...self::ENV, 'SERVER_PORT' => (string) Ports::free()], [
            ...(PHP_VERSION_ID < 80300 ? [self::CREATE => self::CREATE_WITHOUT_TOOLS] : []),
            ...($shortened ? ['--duration=15' => '--requests=40 --timeout=60'] : []),
        ]);
    }

    /** `artisan serve` takes 8000 to 8010, which may all be in use, so the tests give it a free port. */
    public static function serves(Walkthrough $reader): string
    {
        $address = $reader->awaitInTerminal('/Server running on \[http:\/\/(127\.0\.0\.1:\d+)\]/');
        $reader->replace('127.0.0.1:8000', $address);

        return $address;
    }

    public static function awaitDelivery(string $application): void
    {
        $until = hrtime(true) + self::SECONDS_TO_DELIVER * 1_000_000_000;

        do {
            usleep(500_000);
            $status = self::status($application);
        } while (($status['pending'] > 0 || $status['delivered'] === 0) && hrtime(true) < $until);
    }

    /** @return array{accepted: int, delivered: int, dead: int, dropped: int, pending: int} of the one bucket */
    public static function status(string $application): array
    {
        $process = new Process(['php', 'artisan', 'spool:status', '--json'], $application, self::ENV);
        $process->run();
        /**
         * @var array{
         *     buckets: list<array{accepted: int, delivered: int, dead: int, dropped: int, pending: int}>,
         * } $status
         */
        $status = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);

        return $status['buckets'][0] ?? throw new RuntimeException("There is no bucket:\n{$process->getOutput()}");
    }

    public static function rows(string $application): int
    {
        $count = (new PDO("sqlite:{$application}/database/database.sqlite"))->query('select count(*) from api_events');

        return $count === false ? 0 : (int) $count->fetchColumn();
    }

    /** @return list<CodeBlock> of docs/quickstart.md, up to the table of events */
    public static function slowEndpoint(): array
    {
        return array_values(array_filter(
            MarkdownPage::at('docs/quickstart.md')->blocks(),
            static fn (CodeBlock $block): bool => str_starts_with($block->heading, '1. '),
        ));
    }
}
