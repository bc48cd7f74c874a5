<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Closure;
use Headroom\Console\BaseCommand;
use Headroom\Console\JsonOutput;
use Headroom\Console\TerminalStyles;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;
use Headroom\Preload\Observation\Samples;
use Headroom\Preload\Script\InstalledScript;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'preload:status',
    description: 'Show what PHP-FPM has preloaded, and whether that is what was proven',
)]
final class PreloadStatusCommand extends BaseCommand
{
    /** @param Closure(array<class-string, Closure(Facts): object>): Facts $facts */
    public function __construct(private readonly PreloadContext $context, private readonly Closure $facts)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command asks each pool that serves this application what it has
                preloaded. It compares that with the installed script, and the script with the PHP version, packages and
                files that it was proven with.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --json</info>

                Exit codes:

                  0  the installed list is preloaded
                  1  it is not; the output names the reason
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $config = $this->context->config();
        $path = "{$this->context->root}/{$config->file}";
        $installed = InstalledScript::at($path);
        $pools = $this->pools($installed);
        $report = new StatusReport(
            $path,
            $installed,
            $pools,
            [...$this->ofScript($path, $installed, $pools), ...array_merge(...array_column($pools, 'problems'))],
            (new Samples($config->samples))->merged(),
        );

        if (self::isJson($input)) {
            (new JsonOutput($output))->print($report->toArray());
        } else {
            TerminalStyles::print($output, array_map(TerminalText::line(...), $report->lines()), StatusReport::STYLES);
        }

        return $report->problems === [] ? self::SUCCESS : self::FAILURE;
    }

    /** @return list<array{pool: string, php: ?string, classes: int, files: int, problems: list<string>}> */
    private function pools(?InstalledScript $installed): array
    {
        try {
            return (new ServingPools(($this->facts)([]), $this->context->root))->states($installed);
        } catch (FactUnavailable|NotApplicable $e) {
            return [
                ['pool' => 'unknown', 'php' => null, 'classes' => 0, 'files' => 0, 'problems' => [$e->getMessage()]],
            ];
        }
    }

    /**
     * @param list<array{pool: string, php: ?string, classes: int, files: int, problems: list<string>}> $pools
     * @return list<string>
     */
    private function ofScript(string $path, ?InstalledScript $installed, array $pools): array
    {
        if ($installed === null) {
            return [
                is_file($path)
                    ? "{$path} was not written by headroom:preload."
                    : "There is no {$path} yet. Generate it with: headroom:preload",
            ];
        }

        $problems = array_map(
            static fn (string $words): string => "{$path}: {$words}. Generate it again with: headroom:preload",
            $installed->objections($this->context->root, $pools[0]['php'] ?? null),
        );

        return $pools === []
            ? [
                ...$problems,
                'No PHP-FPM that serves this application was found on this machine, so the preloaded classes are'
                    .' unknown.',
            ]
            : $problems;
    }
}
