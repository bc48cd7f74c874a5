<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\JsonOutput;
use Headroom\Console\ProgressIndicator;
use Headroom\Console\TerminalStyles;
use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Health\NodesAreSilent;
use Headroom\Spool\Monitoring\Verify\Findings;
use Headroom\Spool\Monitoring\Verify\Verification;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'spool:verify',
    description: 'Compare everything on disk with the counts of accepted and delivered events',
)]
final class VerifyCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::OPTIONAL, 'Only this bucket; it need not be declared')
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command reads every byte of the buffer and compares it with the counts
                of accepted and delivered events. It takes no lock and changes nothing.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% api-events --json</info>

                Exit codes:

                  0  nothing is wrong; there may be notes
                  1  something is wrong
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $buckets = (new BucketArgument($this->spool))->known($input->getArgument('bucket'));
        $isJson = self::isJson($input);
        $documents = [];
        $findings = [];
        $wrong = 0;

        if (
            array_filter($buckets, fn (string $bucket): bool => ! $this->spool->isUntouched($bucket)) === []
            && $this->spool->isUntouched()
        ) {
            $buckets = [];
            $this->writeLine($isJson, $output, 'Nothing has been buffered yet.');
        }

        foreach ($buckets as $bucket) {
            if ($this->spool->isUntouched($bucket)) {
                $this->writeLine($isJson, $output, "{$bucket}: nothing has been buffered yet");

                continue;
            }

            $found = $this->verify($bucket, $output, $isJson);
            $documents[] = $found['result']->toArray();
            $findings = [...$findings, ...$found['problems']];
            $wrong += $found['result']->wrong;
        }

        foreach ((new NodesAreSilent($this->spool))->ownDuplicates() as $twin) {
            $findings[] = $twin;
            $wrong++;
            $isJson ? null : $this->print($twin, $output);
        }

        if ($isJson) {
            (new JsonOutput($output))->print([
                'ok' => $wrong === 0,
                'path' => $this->spool->store()->root,
                'buckets' => $documents,
                'findings' => $findings,
            ]);
        }

        return $wrong === 0 ? self::SUCCESS : self::FAILURE;
    }

    /** @return array{result: Verification, problems: list<Finding>} no problems if they were printed already */
    private function verify(string $bucket, OutputInterface $output, bool $isJson): array
    {
        $problems = [];
        $bar = new ProgressIndicator($output);
        $findings = new Findings(function (Finding $problem) use (&$problems, $isJson, $output, $bar): void {
            if ($isJson) {
                $problems[] = $problem;
            } else {
                $bar->clear();
                $this->print($problem, $output);
            }
        }, $bar->advance(...));

        try {
            $view = $this->spool->bucketTools($bucket);
            $verifier = $view->verifier();

            if (! $isJson && $bar->isShown()) {
                $bar->start($bucket, $verifier->bytes($bucket));
            }

            $result = $verifier->verify($bucket, $view->ledger(), $findings);
        } catch (HeadroomException $e) {
            $findings->wrong($bucket, $e->getMessage(), 'Run `spool:health`.');
            $result = new Verification($bucket);
            $result->wrong = $findings->wrong;
        }

        $bar->end();
        $this->writeLine($isJson, $output, $this->summary($result));

        return ['result' => $result, 'problems' => $problems];
    }

    private function writeLine(bool $isJson, OutputInterface $output, string $words): void
    {
        if (! $isJson) {
            $output->writeln(OutputFormatter::escape($words));
        }
    }

    private function print(Finding $problem, OutputInterface $output): void
    {
        $styles = TerminalStyles::of($output);
        $label = $problem->fatal ? $styles->apply('critical', 'WRONG') : $styles->apply('warning', 'NOTE');
        $output->writeln(
            $label.TerminalText::line(" {$problem->subject}: {$problem->message} Fix: {$problem->fix}"),
            OutputInterface::OUTPUT_RAW,
        );
    }

    private function summary(Verification $result): string
    {
        return sprintf(
            '%s: %s; %s in %s and %s, %s; accepted %d = delivered %d + dead %d + pending %d + missing %d%s%s',
            $result->bucket,
            $result->wrong === 0 ? 'all right' : TerminalText::count($result->wrong, 'finding'),
            number_format($result->bytes).' bytes',
            TerminalText::count($result->segments, 'segment'),
            TerminalText::count($result->slots, 'slot'),
            TerminalText::count($result->frames, 'frame'),
            $result->accepted,
            $result->delivered,
            $result->dead,
            $result->pending(),
            $result->missing,
            $result->torn > 0 ? '; '.TerminalText::count($result->torn, 'torn frame').' (never acknowledged)' : '',
            $result->deadLetters > 0 ? '; '.TerminalText::count($result->deadLetters, 'dead letter') : '',
        );
    }
}
