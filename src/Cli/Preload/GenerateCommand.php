<?php

declare(strict_types=1);

namespace Headroom\Cli\Preload;

use Headroom\Cli\Spool\Answer;
use Headroom\Cli\Spool\Usage;
use Headroom\Core\Clock;
use Headroom\Core\Printable;
use Headroom\Preload\Evidence;
use Headroom\Preload\Generator;
use Headroom\Preload\Mode;
use Headroom\Preload\Observation\PageFile;
use Headroom\Preload\Observation\PagesOfLog;
use Headroom\Preload\Observation\Samples;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Strategy;
use Headroom\Preload\UnableToPreload;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'preload', description: 'Make a preload script for opcache, prove that no page changes, and put it in its place')]
final class GenerateCommand extends Command
{
    private const MOST_PAGES = 200;

    public function __construct(private readonly Application $application, private readonly Neighbours $neighbours, private readonly Clock $clock)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption('urls', null, InputOption::VALUE_REQUIRED, 'File with requests, one a line: /path, or POST /path {"a":1}. They are asked several times')
            ->addOption('from-log', null, InputOption::VALUE_REQUIRED, 'Access log: its GET requests are asked, and count as often as they were logged')
            ->addOption('routes', null, InputOption::VALUE_NONE, 'Ask for all routes of the application that a GET without parameters reaches')
            ->addOption('header', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, 'Header of each request, such as "Cookie: session=..."; may be given again')
            ->addOption('strategy', null, InputOption::VALUE_REQUIRED, 'Instead of the configured one: '.implode(', ', array_column(Strategy::cases(), 'value')))
            ->addOption('mode', null, InputOption::VALUE_REQUIRED, 'Instead of the configured one: '.implode(', ', array_column(Mode::cases(), 'value')))
            ->addOption('user', null, InputOption::VALUE_REQUIRED, 'Whom the workers of PHP-FPM run as, when root runs this; else the owner of storage/')
            ->addOption('dry-run', null, InputOption::VALUE_NONE, 'Make and prove the list, and install nothing')
            ->addOption('json', null, InputOption::VALUE_NONE, 'Print the report as JSON')
            ->setHelp("Which classes requests use is known from samples of users' requests (HEADROOM_PRELOAD_SAMPLE=100), or from requests that are named. Two PHP-FPMs of its own then serve the application, one without and one with the list, and each page is asked of both three times: status, headers and body have to be the same, but for what differs without preloading too. A class that changes a page is looked for, left out, and named. Requests run for real, on the database that is configured.\n\nExit codes: 0 proven and installed, or the same was; 1 not, and why; 2 wrong usage.");
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new Usage($output, $input))->guard(fn (): int => parent::run($input, $output));
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $config = $this->application->config()->with(self::strategy($input), self::mode($input));
        $site = (new Sites($this->application->root, $config))->site(self::headers($input), self::text($input, 'user'));
        $evidence = $this->evidence($input, $config);
        $this->refuseNeighbours();
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        $started = $this->clock->monotonicNanos();
        $tell = static fn (string $line) => $errors->writeln('  '.OutputFormatter::escape(Printable::line($line)));
        $generated = (new Generator($site, $config, $this->clock, $tell))->generate($evidence, $input->getOption('dry-run') !== true);
        $report = new GeneratedReport($generated, $this->application->pathOfDeploys($config->file), $site->account->user ?? self::self(), ($this->clock->monotonicNanos() - $started) / 1e9);

        if ($input->getOption('json') === true) {
            (new Answer($output))->print($report->toArray());
        } else {
            $output->writeln(array_map(OutputFormatter::escape(...), $report->lines($output->isVerbose())));
        }

        return Command::SUCCESS;
    }

    /** @throws UnableToPreload */
    private function evidence(InputInterface $input, PreloadConfig $config): Evidence
    {
        $urls = self::text($input, 'urls');
        $log = self::text($input, 'from-log');
        $samples = (new Samples($config->samples))->merged();
        $evidence = new Evidence(
            $samples,
            [...($urls === null ? [] : PageFile::read($urls)), ...($input->getOption('routes') === true ? $this->application->routes() : [])],
            $log === null ? [] : PagesOfLog::read($log, self::MOST_PAGES),
        );

        return $samples->isEmpty() && $evidence->pages() === [] ? throw UnableToPreload::nothingObserved((new Samples($config->samples))->state()) : $evidence;
    }

    /** @throws UnableToPreload */
    private function refuseNeighbours(): void
    {
        $found = $this->neighbours->of($this->application->root);

        if ($found !== []) {
            throw UnableToPreload::sharedMaster($this->application->root, array_keys($found), array_values($found)[0]);
        }
    }

    /** Who runs this, and owns what the workers write. */
    private static function self(): string
    {
        $entry = posix_getpwuid(posix_geteuid());

        return $entry === false ? (string) posix_geteuid() : $entry['name'];
    }

    private static function strategy(InputInterface $input): ?Strategy
    {
        $name = self::text($input, 'strategy');

        return $name === null ? null : Strategy::tryFrom($name) ?? throw self::wrong('strategy', $name, array_column(Strategy::cases(), 'value'));
    }

    private static function mode(InputInterface $input): ?Mode
    {
        $name = self::text($input, 'mode');

        return $name === null ? null : Mode::tryFrom($name) ?? throw self::wrong('mode', $name, array_column(Mode::cases(), 'value'));
    }

    /** @return array<string, string> */
    private static function headers(InputInterface $input): array
    {
        $headers = [];

        foreach ((array) $input->getOption('header') as $line) {
            if (! is_string($line) || preg_match('/\A([A-Za-z0-9-]+):[ \t]*([^\r\n\0]*)\z/', $line, $m) !== 1) {
                throw self::wrong('header', is_string($line) ? $line : '', ['a name, a colon and a value, such as "Accept-Language: de"']);
            }

            $headers[$m[1]] = $m[2];
        }

        return $headers;
    }

    private static function text(InputInterface $input, string $option): ?string
    {
        $value = $input->getOption($option);

        return is_string($value) && $value !== '' ? $value : null;
    }

    /** @param list<string> $allowed */
    private static function wrong(string $option, string $seen, array $allowed): InvalidOptionException
    {
        return new InvalidOptionException("--{$option} is '".Printable::name($seen)."'. It must be ".(count($allowed) === 1 ? $allowed[0] : 'one of '.implode(', ', $allowed)).'.');
    }
}
