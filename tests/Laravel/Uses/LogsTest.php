<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Headroom\Laravel\Log\SpoolHandler;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Support\Sentence;
use Monolog\Handler\FormattableHandlerInterface;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use ReflectionClass;

/**
 * docs/uses/logs.md. LogChannelTest, LogFallbackTest and LogRowTest test the promises of the page.
 */
final class LogsTest extends TestCase
{
    #[Test]
    public function the_page_shows_the_code_of_the_workbench(): void
    {
        UsePage::of('logs')->shows(
            ['config/spool.php', "/'logs' => .*\\n/"],
            ['config/logging.php', "/'spool' => \\[.*?\\],\\n/s"],
            ['app/Http/Controllers/OrderController.php', '/public function store.*^    }$/ms'],
            ['database/migrations/2025_01_02_000003_create_logs_table.php', '/Schema::create.*?^        }\);/ms'],
        );
    }

    /** Laravel gives each handler that has one a formatter of its own. */
    #[Test]
    public function the_page_names_a_handler_and_the_limits_that_there_are(): void
    {
        self::assertFalse(
            (new ReflectionClass(SpoolHandler::class))->implementsInterface(FormattableHandlerInterface::class),
        );
        $page = Files::read('docs/uses/logs.md');
        $limits = [];

        foreach ([
            'LogRow' => ['MESSAGE_BYTES', 'BYTES', 'SHORT_BYTES'],
            'LogValues' => ['TEXT_BYTES', 'ITEMS', 'DEPTH', 'FRAMES'],
        ] as $class => $names) {
            foreach ($names as $name) {
                preg_match("/const {$name} = ([\\d_]+);/", Files::read("src/Laravel/Log/{$class}.php"), $m);
                $limits[$name] = (int) str_replace('_', '', $m[1] ?? '');
            }
        }

        Sentence::assertNames([
            number_format($limits['MESSAGE_BYTES']),
            number_format($limits['TEXT_BYTES']),
            number_format($limits['ITEMS']),
            (string) $limits['DEPTH'],
            intdiv($limits['BYTES'], 1024).' KiB',
            intdiv($limits['SHORT_BYTES'], 1024).' KiB',
        ], $page);
        Sentence::assertNames(["{$limits['FRAMES']} frames"], $page);
    }
}
