<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Charts;

use Headroom\Process\Programs;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * resources/dist is committed, so that users need no Node. It is what resources/js builds.
 */
final class CommittedPagesTest extends TestCase
{
    private const SOURCES = __DIR__.'/../../../resources/js';

    #[Test]
    #[Group('proof')]
    public function the_committed_script_is_built_from_the_sources(): void
    {
        if (Programs::optional('npm') === null) {
            MissingServer::named('chromium', 'npm is not installed: bin/services install chromium');
        }

        if (! is_dir(self::SOURCES.'/node_modules/esbuild')) {
            $this->run_in_sources('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
        }

        self::assertSame('', $this->run_in_sources('node', 'build.mjs', '--check'));
    }

    #[Test]
    public function the_licences_of_its_parts_are_there(): void
    {
        $licences = (string) file_get_contents(self::SOURCES.'/../dist/LICENSES.txt');

        foreach ([
            'Apache ECharts', 'Apache License', 'The Apache Software Foundation', 'zrender', 'Baidu Inc', 'BSD',
            'tslib',
        ] as $words) {
            self::assertStringContainsString($words, $licences);
        }

        self::assertStringContainsString(
            'LICENSES.txt',
            substr((string) file_get_contents(self::SOURCES.'/../dist/charts.js'), 0, 100),
        );
    }

    private function run_in_sources(string ...$command): string
    {
        $process = new Process(array_values($command), self::SOURCES, timeout: 180);
        $process->run();
        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());

        return $process->getErrorOutput();
    }
}
