<?php

declare(strict_types=1);

namespace Workbench\App\Buffers;

use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Illuminate\Contracts\Mail\Mailer;
use Workbench\App\Mail\Welcome;

final readonly class SendWelcome
{
    public function __construct(private Mailer $mailer) {}

    public function handle(Record $event, Delivery $delivery): void
    {
        $this->mailer->to($event->values['email'])->send(new Welcome($event->values['name'], $delivery->idOf($event)));
    }
}
