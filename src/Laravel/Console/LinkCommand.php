<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Console\BaseCommand;
use Headroom\Console\JsonOutput;
use Headroom\Laravel\Http\Dashboard\Access\AccessToken;
use Headroom\Laravel\Http\Dashboard\Access\AccessTokens;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Routing\UrlGenerator;
use Illuminate\Routing\Router;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'headroom:link',
    description: 'Print an address that shows the dashboard for an hour without a login',
)]
final class LinkCommand extends BaseCommand
{
    public function __construct(private readonly Application $app)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command prints an address of the dashboard. A browser that opens it
                needs no login, so the page also opens while the database with the sessions and users is down. The
                address is valid for an hour. Its page shows everything and changes nothing.

                    <info>php %command.full_name%</info>

                Treat the address as a password. It begins with APP_URL.

                Exit codes:

                  0  the address is printed
                  1  the dashboard is turned off, or the application has no key
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        if (! $this->app->make(Router::class)->has('headroom.dashboard.link')) {
            return $this->errors($input, $output)->fail(
                'The dashboard is turned off. Set headroom.dashboard.enabled to true'
                    .' and run `php artisan route:clear`.',
            );
        }

        $tokens = $this->app->make(AccessTokens::class);
        $token = $tokens->fresh();
        $url = $this->app->make(UrlGenerator::class)
            ->route('headroom.dashboard.link', ['token' => $tokens->sign(AccessToken::LINK, $token)]);

        self::isJson($input)
            ? (new JsonOutput($output))->print([
                'url' => $url, 'expires_at' => gmdate('Y-m-d\TH:i:s\Z', $token->expires),
            ])
            : $output->writeln(
                [$url, 'It is valid until '.gmdate('Y-m-d H:i:s', $token->expires).' UTC, to view only.'],
                OutputInterface::OUTPUT_RAW,
            );

        return self::SUCCESS;
    }
}
