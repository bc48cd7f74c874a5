<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The files of docs/containers.md give the worker time to end, and the same buffer as the requests.
 */
final class ContainersGuideTest extends TestCase
{
    /** Of Process\Supervision\SupervisorOptions. */
    private const GRACE_SECONDS = 30;

    #[Test]
    public function compose_gives_the_worker_more_time_than_it_gives_its_processes(): void
    {
        $worker = self::part(self::block('The compose file')->code, '  worker:', 'volumes:');

        self::assertMatchesRegularExpression('/^    stop_grace_period: \d+s$/m', $worker);
        self::assertGreaterThan(self::GRACE_SECONDS, self::number('/stop_grace_period: (\d+)s/', $worker));
    }

    #[Test]
    public function kubernetes_waits_for_the_web_server_the_flush_and_the_worker(): void
    {
        $file = self::block('A StatefulSet with a worker in each pod')->code;
        $web = self::number('/command: \["sleep", "(\d+)"\]/', $file);
        $wait = self::number('/command: \["sh", "-c", "sleep (\d+); php artisan spool:flush"\]/', $file);

        self::assertGreaterThan($web, $wait, 'The worker flushes after the last request.');
        self::assertGreaterThan(
            $wait + self::GRACE_SECONDS,
            self::number('/terminationGracePeriodSeconds: (\d+)/', $file),
        );
    }

    #[Test]
    public function requests_and_worker_share_a_volume_on_which_the_buffer_lies(): void
    {
        self::assertStringContainsString("\nENV SPOOL_PATH=/buffer/spool\n", self::block('The image')->code);
        self::assertSame(2, substr_count(self::block('The compose file')->code, "\n      - buffer:/buffer\n"));
        self::assertSame(2, substr_count(
            self::block('A StatefulSet with a worker in each pod')->code,
            "\n            - name: buffer\n              mountPath: /buffer\n",
        ));
    }

    #[Test]
    public function each_command_of_the_files_runs(): void
    {
        $app = ScratchApplication::onThisCheckout();

        try {
            foreach (['The compose file', 'A StatefulSet with a worker in each pod'] as $heading) {
                $pattern = '/command: (\["php", "artisan", [^]]+\])/';
                self::assertSame(1, preg_match($pattern, self::block($heading)->code, $found), $heading);
                $command = json_decode($found[1], true);
                self::assertIsArray($command);
                $arguments = array_map(
                    static fn (mixed $word): string => is_string($word) ? $word : '',
                    array_slice($command, 1),
                );
                $worked = $app->run([Programs::php(), ...array_values($arguments), '--stop-when-empty']);
                self::assertSame(0, $worked->exit, $worked->all());
            }
        } finally {
            $app->remove();
        }
    }

    private static function block(string $heading): CodeBlock
    {
        $blocks = MarkdownPage::at('docs/containers.md')->under($heading);
        self::assertNotSame([], $blocks, $heading);

        return $blocks[0];
    }

    private static function part(string $text, string $from, string $to): string
    {
        $begin = strpos($text, $from);
        self::assertIsInt($begin);
        $end = strpos($text, "\n{$to}", $begin);
        self::assertIsInt($end);

        return substr($text, $begin, $end - $begin);
    }

    private static function number(string $pattern, string $text): int
    {
        self::assertSame(1, preg_match($pattern, $text, $found), $pattern);

        return (int) ($found[1] ?? 0);
    }
}
