<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Closure;
use DateTimeImmutable;
use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\Authentication\ApiKeyStore;
use Headroom\Console\BaseCommand;
use Headroom\Console\JsonOutput;
use Headroom\Core\Clock;
use Headroom\Support\FileOperation;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Helper\Table;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/**
 * @internal
 */
#[AsCommand(name: 'collect:key', description: 'Create, list or revoke the API keys of the collector')]
final class CollectKeyCommand extends BaseCommand
{
    private const MAX_RATE = 1_000_000_000;

    private const MAX_BYTES = 491_520;

    /** @param Closure(): ApiKeyStore $keys below the directory of the buffer, which the configuration names */
    public function __construct(private readonly Closure $keys, private readonly Clock $clock)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addArgument('action', InputArgument::REQUIRED, 'create, list or revoke')
            ->addArgument(
                'name',
                InputArgument::OPTIONAL,
                'For create: the client, such as web-shop, which is also the default source of its events. For revoke: '
                    .'the id that list shows',
            )
            ->addOption(
                'type',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Accept only events of this type, or with a prefix such as order.*',
            )
            ->addOption(
                'origin',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Accept only browsers of this origin, such as https://shop.example.com or https://*.example.com',
            )
            ->addOption('rate', null, InputOption::VALUE_REQUIRED, 'Maximum events per second on this machine')
            ->addOption('max-event-bytes', null, InputOption::VALUE_REQUIRED, 'Maximum size of an event in bytes')
            ->addOption(
                'expires',
                null,
                InputOption::VALUE_REQUIRED,
                'Time at which the key expires, such as 2027-01-31 or "+90 days"; UTC',
            )
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command creates, lists and revokes API keys. It shows a key once, when
                it creates it: only the SHA-256 of the key is stored. Running collectors use a change within a second.

                    <info>php %command.full_name% create web-shop --type='order.*' --rate=100</info>
                    <info>php %command.full_name% list</info>
                    <info>php %command.full_name% revoke 4f2a9c1e</info>

                To replace a key, create a second one with the same name, give it to the clients, and revoke the first.

                Exit codes:

                  0  done
                  1  the keys cannot be read or written, or there is no such key
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $name = $input->getArgument('name');
        $name = is_string($name) ? $name : '';
        $result = self::isJson($input) ? new JsonOutput($output) : null;

        return match ($input->getArgument('action')) {
            'create' => $this->create($this->scope($name, $input), $result, $output),
            'list' => $this->list($result, $output),
            'revoke' => $this->revoke($name, $result, $input, $output),
            default => throw new InvalidArgumentException('The action must be create, list or revoke.'),
        };
    }

    private function create(ApiKey $scope, ?JsonOutput $result, OutputInterface $output): int
    {
        [$key, $token] = ($this->keys)()->create($scope);

        if ($result !== null) {
            $result->print(['key' => $token] + self::shown($key));

            return self::SUCCESS;
        }

        $output->writeln(OutputFormatter::escape("Key {$key->id} of '{$key->name}', which is not shown again:"));
        $output->writeln(["\n  {$token}\n", 'Send it as `Authorization: Bearer KEY`.'], OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    private function list(?JsonOutput $result, OutputInterface $output): int
    {
        $keys = ($this->keys)()->all();

        if ($result !== null) {
            $result->print(['keys' => array_map(self::shown(...), $keys)]);

            return self::SUCCESS;
        }

        if ($keys === []) {
            $output->writeln('There are no keys. `headroom:collect:key create NAME` creates one.');

            return self::SUCCESS;
        }

        $table = new Table($output);
        $table->setHeaders(['id', 'name', 'state', 'may']);

        foreach ($keys as $key) {
            $table->addRow(array_map(
                static fn (string $cell): string => OutputFormatter::escape(TerminalText::line($cell)),
                [$key->id, $key->name, $this->state($key), self::scopeOf($key)],
            ));
        }

        $table->render();

        return self::SUCCESS;
    }

    private function revoke(string $id, ?JsonOutput $result, InputInterface $input, OutputInterface $output): int
    {
        if ($id === '') {
            throw new InvalidArgumentException('Give the id of the key. `headroom:collect:key list` shows the ids.');
        }

        if (! ($this->keys)()->revoke($id)) {
            return $this->errors($input, $output)
                ->fail("There is no key with the id '{$id}'. `headroom:collect:key list` shows the ids.");
        }

        $result !== null
            ? $result->print(['revoked' => $id])
            : $output->writeln(
                OutputFormatter::escape("Key {$id} is revoked. Running collectors refuse it within a second."),
            );

        return self::SUCCESS;
    }

    private function scope(string $name, InputInterface $input): ApiKey
    {
        if ($name === '' || strlen($name) > 64 || preg_match('/\A[^\x00-\x1f\x7f]+\z/u', $name) !== 1) {
            throw new InvalidArgumentException(
                'Name the client that gets the key, in 1 to 64 bytes, such as: collect:key create web-shop',
            );
        }

        return new ApiKey(
            '',
            $name,
            expires: $this->expires($input->getOption('expires')),
            types: self::names(
                $input->getOption('type'),
                '/\A[^\x00-\x1f\x7f*]*\*?\z/u',
                'an event type, or a prefix followed by *',
            ),
            origins: self::names(
                $input->getOption('origin'),
                '~\Ahttps?://[^/?#\s]+\z~i',
                'an origin: a scheme, a host and optionally a port, such as https://shop.example.com',
            ),
            rate: self::number('rate', $input->getOption('rate'), self::MAX_RATE),
            eventBytes: self::number('max-event-bytes', $input->getOption('max-event-bytes'), self::MAX_BYTES),
        );
    }

    /** @return ?non-empty-list<string> */
    private static function names(mixed $value, string $pattern, string $allowed): ?array
    {
        $names = [];

        foreach (is_array($value) ? $value : [] as $name) {
            $names[] = is_string($name) && $name !== '' && preg_match($pattern, $name) === 1
                ? $name
                : throw new InvalidArgumentException((is_string($name) ? "'{$name}'" : 'It')." is not {$allowed}.");
        }

        return $names === [] ? null : $names;
    }

    /** @return ?int<1, max> */
    private static function number(string $option, mixed $value, int $most): ?int
    {
        if ($value === null) {
            return null;
        }

        $number = is_string($value) && preg_match('/\A\d{1,12}\z/', $value) === 1 ? (int) $value : 0;

        return $number >= 1 && $number <= $most
            ? $number
            : throw new InvalidArgumentException("--{$option} must be a whole number from 1 to {$most}.");
    }

    private function expires(mixed $value): ?int
    {
        if (! is_string($value)) {
            return null;
        }

        $now = $this->clock->now();

        // For a text that is not a time, PHP 8.2 raises a warning and PHP 8.3 throws an exception.
        try {
            $current = new DateTimeImmutable('@'.$now->getTimestamp());
            $expires = $value === '' ? null : FileOperation::run(static fn (): mixed => $current->modify($value));
        } catch (Throwable) {
            $expires = null;
        }

        return $expires instanceof DateTimeImmutable && $expires > $now
            ? $expires->getTimestamp()
            : throw new InvalidArgumentException(
                "--expires is '{$value}'. It must be a time in the future, such as 2027-01-31 or \"+90 days\".",
            );
    }

    private function state(ApiKey $key): string
    {
        return match (true) {
            $key->revoked !== null => 'revoked '.gmdate('Y-m-d H:i', $key->revoked),
            $key->expires === null => 'valid',
            $key->expires <= $this->clock->now()->getTimestamp() => 'expired '.gmdate('Y-m-d H:i', $key->expires),
            default => 'valid until '.gmdate('Y-m-d H:i', $key->expires),
        };
    }

    private static function scopeOf(ApiKey $key): string
    {
        return implode('; ', array_filter([
            $key->types === null ? 'all types' : 'types '.implode(', ', $key->types),
            $key->origins === null ? '' : 'origins '.implode(', ', $key->origins),
            $key->rate === null ? '' : "{$key->rate} events/s",
            $key->eventBytes === null ? '' : "{$key->eventBytes} bytes an event",
        ], static fn (string $part): bool => $part !== ''));
    }

    /** @return array<string, mixed> without the hash */
    private static function shown(ApiKey $key): array
    {
        return array_diff_key($key->toArray(), ['hash' => 1]);
    }
}
