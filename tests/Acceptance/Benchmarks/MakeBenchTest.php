<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\Process;

/**
 * `make bench` with experiments that take no time.
 */
#[Group('proof')]
final class MakeBenchTest extends DirectoryTestCase
{
    #[Test]
    public function an_experiment_that_fails_keeps_no_other_from_running(): void
    {
        $bench = $this->bench('');
        $lines = explode("\n", trim($bench->getOutput()));

        self::assertNotSame(0, $bench->getExitCode());
        self::assertSame(
            'RESULT {"write-buffer":{"part":"","quick":""},"bottleneck":null,"queues":{"part":"","quick":""},'
                .'"preload":{"part":"","quick":""},"collector":{"part":"","quick":""},"load":{"part":"","quick":""},'
                .'"logs":{"part":"","quick":""}}',
            $lines[count($lines) - 1],
        );
        self::assertMatchesRegularExpression('/^bottleneck     FAILED  +\d+ s +\d+ CPU s$/m', $bench->getOutput());
        self::assertMatchesRegularExpression('/^logs           passed  +\d+ s +\d+ CPU s$/m', $bench->getOutput());
        self::assertStringContainsString('the page, quick: no', $bench->getOutput());
    }

    #[Test]
    #[TestWith(['write-buffer', 'contended'])]
    #[TestWith(['collector', 'figures,slow'])]
    #[TestWith(['logs', ''])]
    public function the_short_form_takes_the_parts_that_the_page_shows_first(string $experiment, string $part): void
    {
        $output = $this->bench('1')->getOutput();

        self::assertStringContainsString('"'.$experiment.'":{"part":"'.$part.'","quick":"1"}', $output);
        self::assertStringContainsString('the page, quick: 1', $output);
    }

    private function bench(string $quick): Process
    {
        $makefile = $this->directory->write('bench.mk', <<<'MAKE'
            include Makefile
            install: ;
            bench-write-buffer bench-queues bench-preload bench-collector bench-load bench-logs: ; @echo 'RESULT {"part":"$(PART)","quick":"$(QUICK)"}'
            bench-bottleneck: ; @echo 'it broke'; exit 3
            bench-index: ; @echo 'the page, quick: $(or $(QUICK),no)'

            MAKE);
        // make may run these tests, and a make within make prints when it leaves.
        $process = new Process(
            [
                'make',
                '-f',
                $makefile,
                'bench',
                "QUICK={$quick}",
                "MAKE=make -f {$makefile}",
                "BENCH_LOGS={$this->directory->path}/logs",
            ],
            dirname(__DIR__, 3),
            ['MAKEFLAGS' => false, 'MAKELEVEL' => false, 'PART' => false],
        );
        $process->run();

        return $process;
    }
}
