<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Closure;
use Headroom\Console\BaseCommand;
use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Mode;
use Headroom\Preload\Observation\AccessLogPages;
use Headroom\Preload\Observation\InvalidSamples;
use Headroom\Preload\Observation\PageFile;
use Headroom\Preload\Observation\Samples;
use Headroom\Preload\ObservedRequests;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Strategy;
use Headroom\Preload\TargetApplication;
use Headroom\Preload\UnableToPreload;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * The options that choose the requests, and how they are sent.
 *
 * @internal
 */
final readonly class PreloadOptions
{
    private const MOST_PAGES = 200;

    /** @param Closure(string): void $progress */
    public function __construct(
        private InputInterface $input,
        private PreloadContext $context,
        private Closure $progress,
    ) {}

    public static function addTo(BaseCommand $command): BaseCommand
    {
        return $command->addOption(
            'urls',
            null,
            InputOption::VALUE_REQUIRED,
            'File with one request a line: /path, or POST /path {"a":1}; each is sent several times',
        )
            ->addOption(
                'from-log',
                null,
                InputOption::VALUE_REQUIRED,
                'Access log whose GET requests are sent, weighted by their number',
            )
            ->addOption(
                'routes',
                null,
                InputOption::VALUE_NONE,
                'Send a GET to every route of the application without parameters',
            )
            ->addOption(
                'header',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Header of each request, such as "Cookie: session=..."; may be repeated',
            )
            ->addOption(
                'mode',
                null,
                InputOption::VALUE_REQUIRED,
                'Mode: '.implode(', ', array_column(Mode::cases(), 'value')).'; by default the configured one',
            )
            ->addOption(
                'user',
                null,
                InputOption::VALUE_REQUIRED,
                'User of the PHP-FPM workers if root runs this; by default the owner of storage/',
            )
            ->addJsonOption('Print the report as JSON');
    }

    public function application(PreloadConfig $config): TargetApplication
    {
        return (new TargetApplicationFactory($this->context->root, $config))->create(
            $this->headers(),
            $this->text('user'),
        );
    }

    /** @throws UnableToPreload */
    public function generatorInput(PreloadConfig $config): GeneratorInput
    {
        $urls = $this->text('urls');
        $log = $this->text('from-log');
        $kept = new Samples($config->samples);
        $samples = $this->samples($kept, $urls !== null || $log !== null);
        $requests = new GeneratorInput(
            $samples,
            [
                ...($urls === null ? [] : PageFile::read($urls)),
                ...($this->input->getOption('routes') === true ? $this->context->routes() : []),
            ],
            $log === null ? [] : AccessLogPages::read($log, self::MOST_PAGES),
        );

        return $samples->isEmpty() && $requests->pages() === []
            ? throw UnableToPreload::nothingObserved($kept->access())
            : $requests;
    }

    public function mode(): ?Mode
    {
        $name = $this->text('mode');

        return $name === null
            ? null
            : Mode::tryFrom($name)
                ?? throw self::wrong('mode', $name, 'one of '.implode(', ', array_column(Mode::cases(), 'value')));
    }

    public static function strategy(string $name): Strategy
    {
        return Strategy::tryFrom($name)
            ?? throw self::wrong('strategy', $name, 'one of '.implode(', ', array_column(Strategy::cases(), 'value')));
    }

    public function text(string $option): ?string
    {
        $value = $this->input->getOption($option);

        return is_string($value) && $value !== '' ? $value : null;
    }

    /**
     * Damaged samples, which workers write, must not stop a deploy that names its pages.
     *
     * @param bool $areOthers whether pages are named
     *
     * @throws InvalidSamples
     */
    private function samples(Samples $kept, bool $areOthers): ObservedRequests
    {
        try {
            return $kept->merged();
        } catch (InvalidSamples $e) {
            if (! $areOthers) {
                throw $e;
            }

            ($this->progress)("the samples are ignored: {$e->getMessage()}");

            return new ObservedRequests;
        }
    }

    /** @return array<string, string> */
    private function headers(): array
    {
        $headers = [];

        foreach ((array) $this->input->getOption('header') as $line) {
            if (! is_string($line) || preg_match('/\A([A-Za-z0-9-]+):[ \t]*([^\r\n\0]*)\z/', $line, $m) !== 1) {
                throw self::wrong(
                    'header',
                    is_string($line) ? $line : '',
                    'a name, a colon and a value, such as "Accept-Language: de"',
                );
            }

            $headers[$m[1]] = $m[2];
        }

        return $headers;
    }

    private static function wrong(string $option, string $seen, string $allowed): InvalidOptionException
    {
        return new InvalidOptionException("--{$option} is '".TerminalText::name($seen)."'. It must be {$allowed}.");
    }
}
