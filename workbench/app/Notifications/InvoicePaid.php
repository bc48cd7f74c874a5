<?php

declare(strict_types=1);

namespace Workbench\App\Notifications;

use Headroom\Laravel\Notifications\BufferedDatabase;
use Illuminate\Bus\Queueable;
use Illuminate\Notifications\Notification;

final class InvoicePaid extends Notification
{
    use Queueable;

    public function __construct(private readonly int $invoice, private readonly float $amount) {}

    /** @return list<string> */
    public function via(object $notifiable): array
    {
        return [BufferedDatabase::class];   // instead of ['database']
    }

    /** @return array<string, mixed> */
    public function toArray(object $notifiable): array
    {
        return [
            'invoice' => $this->invoice,
            'amount' => $this->amount,
            'text' => __('Invoice :n is paid.', ['n' => $this->invoice]),
        ];
    }
}
